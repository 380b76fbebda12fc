"""The page that all reports share: templates, style sheets and script, put into one file that needs no network."""

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup

from trueness.errors import typeset, visible
from trueness.figures.figure import css
from trueness.result.shown import html_table


def rendered(template: str, read: object = None, **values: object) -> str:
    """One HTML file with the sections of a template. Only its own style sheet and script run: the policy holds their hashes.

    Values are escaped; the script reads `read`.
    """
    style, script = css("page") + part("style.css"), part("page.js")
    data = json.dumps(read, allow_nan=False).replace("<", "\\u003c")
    return (
        _environment()
        .get_template("page.html")
        .render(
            template=template,
            contents=[],
            numbered=[],
            style=Markup(style),
            style_hash=Markup(_hash(style)),
            script=Markup(script),
            script_hash=Markup(_hash(script)),
            read=read and Markup(data),
            **values,
        )
    )


@cache
def part(name: str) -> str:
    """A file of this folder."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    found = Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(part),
        finalize=lambda value: typeset(visible(value)) if type(value) is str else value,  # Markup is written already
    )
    found.globals["html_table"] = lambda table: Markup(html_table(table))
    return found


def _hash(text: str) -> str:
    """The hash that Content-Security-Policy compares with an inline part."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

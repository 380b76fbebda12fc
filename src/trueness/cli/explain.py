"""trueness help: the documentation that is installed with the package, a word, a code or a page at a time."""

import re
from typing import Annotated

import typer

from trueness.errors import InputError, near

ROWS = ("notes", "metrics", "comparison")  # pages with a table of names
JOBS = "jobs/"


def help(
    term: Annotated[
        list[str] | None, typer.Argument(help="A word of a table, the code of a note or a check, a metric, or a page.")
    ] = None,
) -> None:
    """Explain a word of a table, a note, a check or a metric, or show a page of the documentation.

    **Examples**

    - trueness help
    - trueness help cv+training
    - trueness help few-replicates
    - trueness help L003
    - trueness help jobs/churn
    """
    pages = _pages()
    if not term:
        typer.echo(_contents(pages))
        return
    asked = " ".join(term).strip("`'\" ").removeprefix("docs/").removesuffix(".md")
    typer.echo(_explained(asked, pages))


def _pages() -> dict[str, str]:
    """Name, without ".md", and text of every page."""
    from trueness.result.glossary import documentation

    found, rest = {}, [("", documentation())]
    while rest:
        before, folder = rest.pop()
        for each in folder.iterdir() if folder.is_dir() else ():
            if each.is_dir():
                rest.append((f"{before}{each.name}/", each))
            elif each.name.endswith(".md"):
                found[before + each.name.removesuffix(".md")] = each.read_text(encoding="utf-8")
    return dict(sorted(found.items()))


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def _contents(pages: dict[str, str]) -> str:
    from trueness.result.glossary import words

    def lines(names: list[str]) -> list[str]:
        width = max(map(len, names), default=0)
        return [f"  {name.ljust(width)}  {_title(pages[name])}" for name in names]

    jobs = [name for name in pages if name.startswith(JOBS)]
    guides = [name for name in pages if "/" not in name or name.startswith(("howto/", "from/", "methods/"))]
    names = ", ".join(dict.fromkeys(w.name for w in words().values()))
    return "\n".join(
        [
            "trueness help WORD explains a word of a table, the code of a note or a check, or a metric; "
            "trueness help PAGE shows a page.",
            *("\nJobs, from the data to the sentence in the paper", *lines(jobs)),
            *("\nGuides", *lines(guides)),
            f"\nWords\n  {names}",
        ]
    )


def _explained(asked: str, pages: dict[str, str]) -> str:
    """A word, a row of a table of names, a page, or where the words stand."""
    from trueness.result.glossary import word, words

    plain = asked.lower()
    found = word(asked)
    if found is not None and not (plain in pages and plain not in words()):
        also = f" ({', '.join(found.also)})" if found.also else ""
        more = f"\n\nMore: trueness help {found.page}" if found.page and found.page in pages else ""
        if found.page == plain:
            return f"{found.name}{also}\n  {found.says.replace('`', '')}\n\n{pages[plain]}"
        return f"{found.name}{also}\n  {found.says.replace('`', '')}{more}"
    for page in ROWS:
        row = re.search(
            rf"^\|(?: `{re.escape(asked)}` \|(.*)|(.*`{re.escape(asked)}`.*))\|$",
            pages.get(page, ""),
            re.MULTILINE | re.IGNORECASE,
        )
        if row:
            said = "\n".join(f"  {cell.strip()}" for cell in (row[1] or row[2]).split(" | ") if cell.strip())
            return f"{asked}\n{said}\n\nMore: trueness help {page}"
    named = [name for name in pages if plain == name.lower() or plain == name.lower().rpartition("/")[2]]
    if named:
        return pages[named[0]]
    where = [
        f"  {name}: {heading}"
        for name, text in pages.items()
        for heading in re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
        if plain in heading.lower()
    ]
    if where:
        return "\n".join([f"Pages with {asked!r} in a heading (trueness help PAGE shows one):", *where])
    known = [*words(), *pages, *(name.rpartition("/")[2] for name in pages)]
    codes = re.findall(r"^\| `([\w-]+)` \|", "\n".join(pages.get(p, "") for p in ROWS), re.MULTILINE)
    raise InputError(
        f"Nothing is known about {asked!r}.",
        fix=f"{near(plain, [*known, *codes])}trueness help lists pages and words, trueness COMMAND --help explains a command",
    )

"""The site: every page is in the navigation, every public name in the reference, every picture small."""

import re
from pathlib import Path
from types import ModuleType

import pytest

import trueness

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MADE = {"benchmarks.md", "contributing.md", "changelog.md"}  # by docs/programs/site_hooks.py


def navigation():
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    return re.findall(r"([\w/.-]+\.md)$", nav, flags=re.MULTILINE)


def test_every_page_is_in_the_navigation_once():
    listed = navigation()
    assert len(listed) == len(set(listed))
    assert set(listed) - MADE == {p.relative_to(DOCS).as_posix() for p in DOCS.rglob("*.md")}


def test_every_public_name_is_in_the_reference_once():
    pages = "\n".join(p.read_text(encoding="utf-8") for p in (DOCS / "api").glob("*.md"))
    listed = re.findall(r"^::: trueness\.([\w.]+)$", pages, flags=re.MULTILINE)
    assert len(listed) == len(set(listed))
    rooms = {name for name in trueness.__all__ if isinstance(getattr(trueness, name), ModuleType)}
    top = set(trueness.__all__) - rooms
    functions = {
        f"{room}.{name}" for room in rooms - set(listed) for name in getattr(trueness, room).__all__ if name.islower()
    }
    assert top | functions - {f"{room}.{name}" for room in rooms for name in top} <= set(listed)


@pytest.mark.parametrize(("folder", "pages"), [("gallery", "gallery.md"), ("jobs", "jobs/*.md")])
def test_pictures_are_those_of_the_pages_and_small(folder, pages):
    text = "".join(p.read_text(encoding="utf-8") for p in DOCS.glob(pages))
    named = re.findall(rf"images/{folder}/(\w+\.png)", text)
    files = {p.name: p.stat().st_size for p in (DOCS / "images" / folder).iterdir()}
    assert sorted(named) == sorted(files)
    assert max(files.values()) < 40_000


def test_links_between_pages_lead_to_files():
    missing = []
    for page in [*DOCS.rglob("*.md"), ROOT / "README.md"]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if "://" not in target and not (page.parent / target).exists():
                missing.append(f"{page.name}: {target}")
    assert missing == []


def test_pages_of_jobs_are_short_and_have_the_sentence_for_the_paper():
    for page in (DOCS / "jobs").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert len(text.split()) <= 600, page.name
        assert page.stem == "index" or "\n## For the paper" in text, page.name
        assert page.stem == "index" or "\n## Next\n" in text, page.name


def test_an_example_is_copied_without_prompts_and_output():
    import site_hooks

    shown = '<span class="gp">&gt;&gt;&gt; </span><span class="n">a</span> = &quot;x&quot;\n... b\nout &lt; 1\n'
    block = f'<div class="language-pycon highlight"><pre><span></span><code>{shown}</code></pre></div>'
    assert 'data-copy="a = &quot;x&quot;\nb"><pre>' in site_hooks.on_page_content(f"<p>{block}</p>")
    other = block.replace("&gt;&gt;&gt; ", "$ ")
    assert site_hooks.on_page_content(other) == other


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "jobs").glob("*.md")), ids=lambda p: p.stem)
def test_code_of_jobs_needs_no_scrolling(path):
    import site_hooks

    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith((">>>", "..."))]
    assert max(map(len, lines), default=0) <= site_hooks.WIDTH

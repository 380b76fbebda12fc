"""Pictures of docs/gallery.md and of the jobs, each by the code above it: python docs/programs/gallery.py [NAME ...]

Of pages of jobs only those are run that have a picture of one of these names, or all without names.
"""

import contextlib
import doctest
import io
import re
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
PART = re.compile(r"```python\n(.*?)```|!\[.*?\]\((?:\.\./)?(images/(?:gallery|jobs)/(\w+)\.png)\)", re.DOTALL)
LIMIT = 40_000  # bytes


def main(names: list[str]) -> None:
    """The pages that have a picture of one of these names."""
    for page in (DOCS / "gallery.md", *sorted((DOCS / "jobs").glob("*.md"))):
        text = page.read_text(encoding="utf-8")
        drawn = {name for _, _, name in PART.findall(text) if name}
        if drawn and (not names or drawn & set(names)):
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # jobs write files
                Path("tests").symlink_to(DOCS.parent / "tests")
                draw(text, names)


def draw(text: str, names: list[str]) -> None:
    """Run the blocks of a page in order; after a picture's blocks, save the current figure under its name."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from PIL import Image

    variables: dict[str, object] = {}
    for block, path, name in PART.findall(text):
        if block:
            for example in doctest.DocTestParser().get_examples(block):
                exec(example.source, variables)
            continue
        if not names or name in names:
            whole = io.BytesIO()
            plt.gcf().savefig(whole, dpi=100)
            small = io.BytesIO()
            Image.open(whole).convert("RGB").quantize(64).save(small, "PNG", optimize=True)
            target = DOCS / path
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(small.getvalue())
            print(f"{name:24}{len(small.getvalue()) / 1000:5.0f} KB{'  TOO LARGE' if small.tell() > LIMIT else ''}")
        plt.close("all")


if __name__ == "__main__":
    main(sys.argv[1:])

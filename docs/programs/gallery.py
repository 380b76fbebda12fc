"""Pictures of docs/gallery.md, each by the code above it: python docs/programs/gallery.py [NAME ...]"""

import doctest
import io
import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "gallery.md"
PART = re.compile(r"```python\n(.*?)```|!\[.*?\]\((images/gallery/(\w+)\.png)\)", re.DOTALL)
LIMIT = 40_000  # bytes


def main(names: list[str]) -> None:
    """Run the blocks of the page in order; after a picture's blocks, save the current figure under its name."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from PIL import Image

    variables: dict[str, object] = {}
    for block, path, name in PART.findall(PAGE.read_text(encoding="utf-8")):
        if block:
            for example in doctest.DocTestParser().get_examples(block):
                exec(example.source, variables)
            continue
        if not names or name in names:
            whole = io.BytesIO()
            plt.gcf().savefig(whole, dpi=100)
            small = io.BytesIO()
            Image.open(whole).convert("RGB").quantize(64).save(small, "PNG", optimize=True)
            target = PAGE.parent / path
            target.write_bytes(small.getvalue())
            print(f"{name:24}{len(small.getvalue()) / 1000:5.0f} KB{'  TOO LARGE' if small.tell() > LIMIT else ''}")
        plt.close("all")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Words of the documentation by section of the site: python docs/programs/words.py"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def sections() -> dict[str, list[str]]:
    """Pages under each head of the navigation."""
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    found: dict[str, list[str]] = {}
    for line in nav.splitlines():
        if head := re.fullmatch(r"  - (.+):", line):
            found[head[1]] = []
        elif page := re.search(r"([\w/.-]+\.md)$", line):
            found[list(found)[-1]].append(page[1])
    return found


if __name__ == "__main__":
    for section, pages in sections().items():
        files = [ROOT / "docs" / page for page in pages]
        counts = {f.name: len(f.read_text(encoding="utf-8").split()) for f in files if f.exists()}
        longest = max(counts, key=counts.__getitem__)
        print(
            f"{section:10} {len(counts):3} pages {sum(counts.values()):7,} words, longest {longest} {counts[longest]:,}"
        )

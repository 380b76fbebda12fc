"""How large the source is, and how much of it a call loads: python docs/programs/size_of_tree.py

Lines are lines of code (no docstrings, comments, blanks) of src/trueness without studies/.
"""

import ast
import subprocess
import sys
import tokenize
from pathlib import Path

import trueness

SOURCE = Path(trueness.__file__).parent
NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
MODELS = """
import sys
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.naive_bayes import GaussianNB
import trueness

rng, y = np.random.default_rng(0), np.repeat([0, 1], 20)
X = rng.normal(size=(40, 2)) + y[:, None]
"""
CALLS = {
    "import trueness": "import sys, trueness",
    "showing an Estimate": "import sys; from trueness import Estimate; Estimate(0.2, se=0.1)._repr_html_()",
    "assess": f"{MODELS}trueness.assess(LDA(), X, y, rng=0)",
    "compare": f"{MODELS}trueness.compare([LDA(), GaussianNB()], X, y, rng=0)",
}


def modules_after(program: str) -> list[str]:
    """The modules of trueness that a program has loaded at its end."""
    said = "print(*(name for name in sys.modules if name.split('.')[0] == 'trueness'))"
    command = [sys.executable, "-W", "ignore", "-c", f"{program}\n{said}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[-2].split()


def lines_of(path: Path) -> tuple[int, int]:
    """Lines of code of a file, and how many of them import."""
    code, imports = set(), set()
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type not in NOT_CODE:
                code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            code.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(code), len(imports)


if __name__ == "__main__":
    files = [path for path in SOURCE.rglob("*.py") if "studies" not in path.relative_to(SOURCE).parts]
    code, imports = (sum(lines) for lines in zip(*map(lines_of, files), strict=True))
    rooms = [name for name in trueness.__all__ if not trueness._HOME[name]]
    print(f"lines of code without studies     {code:7,}")
    print(f"files without studies             {len(files):7,}")
    print(f"import lines as a share of code   {100 * imports / code:6.1f} %")
    print(f"names at the top level            {len(trueness.__all__) - len(rooms):7} (and {len(rooms)} rooms)")
    for call, program in CALLS.items():
        print(f"modules loaded by {call:20} {len(modules_after(program)):3}")

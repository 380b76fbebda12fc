"""Colours by their role, for light paper, for dark paper, and for a notebook that may be either."""

from importlib.resources import files

COLOURS = {
    "ink": ("#1c2430", "#e8ecf2", "currentColor"),
    "soft": ("#55606f", "#aab5c5", "#868e99"),
    "line": ("#dde3ea", "#343e4d", "#868e9940"),
    "paper": ("#ffffff", "#141920", "transparent"),
    "C0": ("#1b5e9b", "#7db5ee", "#3a82c4"),  # blue
    "C1": ("#a84c13", "#f0a878", "#d0722f"),  # orange
    "C2": ("#1d7048", "#7fd0a4", "#2f9464"),  # green
    "C3": ("#7a3f93", "#cfa3e4", "#9a62b5"),  # purple
    "C4": ("#0b6f80", "#6fd0de", "#2b9bad"),  # teal
    "C5": ("#9c2f63", "#f09cc3", "#c4578d"),  # pink
    "C6": ("#69600c", "#d3c765", "#98892c"),  # olive
    "C7": ("#6e4530", "#d2ab95", "#9d7460"),  # brown
    "accent": ("#b3261e", "#ff9a8f", "#d9534f"),  # what is chosen, or wrong
}


def css(kind: str) -> str:
    """The style sheet of figures: for a "page" (light, dark, print), a "notebook", or a "file" of its own."""
    roles = "".join(f".trueness-figure .{role}{{--c:var(--{role})}}" for role in COLOURS)
    marks = files("trueness.figures").joinpath("marks.css").read_text(encoding="utf-8")
    if kind == "notebook":
        return f".trueness{{{_variables(2)}}}{roles}{marks}"
    root = ":root" if kind == "page" else ".trueness-figure"
    dark = f"@media screen and (prefers-color-scheme: dark){{{root}{{{_variables(1)}}}}}"
    return f"{root}{{{_variables(0)}}}{dark}{roles}{marks}"


def _variables(column: int) -> str:
    return "".join(f"--{role}:{values[column]};" for role, values in COLOURS.items())

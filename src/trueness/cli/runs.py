"""trueness runs: what a store holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trueness.cli.output import show_page


def runs(store: Annotated[Path, typer.Argument(help="File that --store named, or the trials.db of a study.")]) -> None:
    """List the runs in a store: models, plans, how many fits are done, seed and versions."""
    from trueness.fitting.store_file import contents

    show_page(contents(store))

"""Parameters as scikit-learn spells them: an error that names ours."""

from __future__ import annotations

from collections.abc import Mapping

from karat.errors import InputError, Setting, Text

SPELLINGS: dict[str, tuple[str, ...]] = {
    "cv": ("plan", "design", "splits"),
    "scoring": ("metrics", "metric"),
    "pos_label": ("positive",),
    "random_state": ("rng",),
    "sample_weight": (),
}
OTHERWISE = {
    "cv": "Nothing is split here; karat.assess has plan",
    "scoring": "karat.assess has metrics",
    "random_state": "Nothing is drawn at random",
    "sample_weight": "Every case counts once; weights are not supported",
}


def refuse_foreign(function: str, foreign: Mapping[str, object], *ours: str) -> None:
    """An error where a call used scikit-learn's name of a parameter; TypeError for any other unknown name.

    Parameters
    ----------
    function : str
        Name of the function that was called.
    foreign : mapping
        Keyword arguments that it does not have. Its signature says `**foreign: Never`, so that type checkers refuse
        them too.
    ours : str
        Parameters of the function that scikit-learn spells otherwise.
    """
    for name, value in foreign.items():
        if name not in SPELLINGS:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
        mine = [param for param in SPELLINGS[name] if param in ours]
        fix: Text = ("Pass ", Setting(mine[0], value)) if mine else OTHERWISE[name]
        raise InputError(f"karat.{function} has no parameter {name}", param=name, fix=fix)

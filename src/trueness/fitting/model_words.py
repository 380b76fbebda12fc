"""A model in words: its class and the parameters that differ from their defaults; all parameters on demand."""

import inspect
import re
from collections.abc import Mapping
from typing import Any

from trueness.result.words import shortened

MOST_OF_VALUE = 60  # characters of one value
MOST_OF_MODEL = 200


def describe(model: object) -> str:
    """The model in one line, with the parameters that were changed; the steps of a pipeline with arrows between them.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> describe(make_pipeline(StandardScaler(), LogisticRegression(C=0.5, tol=1e-4)))
    'StandardScaler() → LogisticRegression(C=0.5)'
    """
    if isinstance(model, str):
        return model
    if hasattr(model, "steps"):
        return " → ".join(describe(step) for _, step in model.steps)
    if hasattr(model, "transformers"):
        return f"({' | '.join(describe(step) for _, step, _ in model.transformers)})"
    given = _given(model)
    if given is None:
        return shortened(_plain(repr(model)), MOST_OF_MODEL)
    defaults = _defaults(type(model))
    changed = {name: value for name, value in given.items() if not _same(value, defaults.get(name))}
    words = ", ".join(f"{name}={_value(value)}" for name, value in changed.items())
    return shortened(f"{type(model).__name__}({words})", MOST_OF_MODEL)


def parameters(model: object) -> dict[str, str]:
    """All parameters, those of steps too, as Python writes them; empty for a model that does not tell."""
    given = _given(model, deep=True)
    return {} if given is None else {name: _value(value, most=MOST_OF_MODEL) for name, value in sorted(given.items())}


def _given(model: object, deep: bool = False) -> Mapping[str, Any] | None:
    if isinstance(model, type) or not callable(getattr(model, "get_params", None)):
        return None
    try:
        found = model.get_params(deep=deep)  # type: ignore[attr-defined]  # as above
    except Exception:  # of a model that is not ours
        return None
    return found if isinstance(found, Mapping) else None


def _defaults(kind: type) -> dict[str, object]:
    """Defaults by the signatures of the class and those that it is derived from: with **kwargs a class passes the
    parameters of its parent on."""
    found: dict[str, object] = {}
    for each in kind.__mro__[:-1]:
        if "__init__" not in vars(each):
            continue
        try:
            params = inspect.signature(each.__init__).parameters.values()  # type: ignore[misc]  # of the class itself
        except (TypeError, ValueError):
            continue
        for p in params:
            if p.default is not p.empty:
                found.setdefault(p.name, p.default)
    return found


def _same(value: object, default: object) -> bool:
    """Whether it is the default; one that is unknown counts as None."""
    return value is default or (type(value) is type(default) and repr(value) == repr(default))


def _value(value: object, most: int = MOST_OF_VALUE) -> str:
    said = describe(value) if hasattr(value, "get_params") and not isinstance(value, type) else _plain(repr(value))
    return shortened(said, most)


def _plain(text: str) -> str:
    """In one line, without an address in memory."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))

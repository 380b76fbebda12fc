"""Plans by word: bootstrap:1000, kfold:10x5, loo, … Each plan declares its own (`form`)."""

from __future__ import annotations

from trueness import plans
from trueness.errors import InputError, near

FORMS = {form.partition(" ")[0].partition(":")[0]: form for form in plans.FORMS.values()}
HELP = ", ".join(FORMS.values())


def plan_by_name(text: str) -> plans.Plan:
    """The plan that a word stands for, e.g. "bootstrap:1000" or "kfold:10x5"."""
    word, _, numbers = text.partition(":")
    found = next((name for name, form in plans.FORMS.items() if word and FORMS.get(word) == form), None)
    chosen: type[plans.Plan] | None = None if found is None else getattr(plans, found)
    if chosen is None or (numbers and not chosen.given):
        raise InputError(f"There is no plan {text!r}", param="plan", fix=f"{near(word, FORMS)}Use {HELP}")
    try:
        return chosen.of_word(numbers)
    except InputError:
        raise
    except ValueError:
        raise InputError(f"Cannot read the plan {text!r}", param="plan", fix=f"Use {FORMS[word]}") from None

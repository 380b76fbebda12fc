"""Help texts list what the registries hold."""

from trueness.cli.options import BANDS, CRITERIA, FORMS, INTERVALS, MODELS
from trueness.curves import bands
from trueness.curves.choice import NAMED
from trueness.curves.empirical import EmpiricalRoc
from trueness.fitting.models import MODELS as REGISTERED_MODELS
from trueness.formulas.proportions import METHODS


def test_models():
    assert set(MODELS) == set(REGISTERED_MODELS)


def test_intervals():
    assert set(INTERVALS) == set(METHODS)


def test_bands_and_criteria():
    assert list(BANDS) == [name for name, kind, _ in bands.BANDS if issubclass(EmpiricalRoc, kind)]
    assert set(CRITERIA) == set(NAMED)


def test_plans():
    assert all(form.startswith(name) for name, form in FORMS.items())

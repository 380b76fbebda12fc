"""Help texts list what the registries hold."""

from karat.cli.names import BANDS, CRITERIA, INTERVALS, METRICS, MODELS
from karat.cli.plans import FORMS
from karat.curves import bands
from karat.curves.criteria import NAMED
from karat.curves.empirical import EmpiricalRoc
from karat.fitting.models import MODELS as REGISTERED_MODELS
from karat.formulas.proportions import METHODS
from karat.metrics import names


def test_models_and_metrics():
    assert set(MODELS) == set(REGISTERED_MODELS)
    assert set(METRICS) == set(names()) - {"cost"}  # a cost needs a matrix


def test_intervals():
    assert set(INTERVALS) == set(METHODS)


def test_bands_and_criteria():
    assert list(BANDS) == [name for name, kind, _ in bands.BANDS if issubclass(EmpiricalRoc, kind)]
    assert set(CRITERIA) == set(NAMED)


def test_plans():
    assert all(form.startswith(name) for name, form in FORMS.items())

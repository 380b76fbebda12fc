"""Help texts list what the registries hold."""

from karat.cli.names import INTERVALS, METRICS, MODELS
from karat.cli.plans import FORMS
from karat.fitting.models import MODELS as REGISTERED_MODELS
from karat.formulas.proportions import METHODS
from karat.metrics import names


def test_models_and_metrics():
    assert set(MODELS) == set(REGISTERED_MODELS)
    assert set(METRICS) == set(names()) - {"cost"}  # a cost needs a matrix


def test_intervals():
    assert set(INTERVALS) == set(METHODS)


def test_plans():
    assert all(form.startswith(name) for name, form in FORMS.items())

"""The sections of a report about predicted numbers: marks, tables, groups, and nothing about classes."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_regression
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError, UndefinedError
from trueness.report.numbers import held_out, number_values

pytestmark = pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")


def assessed(**how):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X @ [1.0, 2.0] + rng.normal(size=60)
    y[7] += 9
    return trueness.assess(LinearRegression(), X, y, plan=trueness.KFold(5), metrics="mae", rng=0, **how)


def test_predictions_are_those_of_rules_that_left_the_case_out():
    fits = assessed().fits
    predicted, truth = held_out(fits)
    np.testing.assert_array_equal(predicted, fits.pooled().scores[0])
    np.testing.assert_array_equal(truth, fits.sample.numbers)


def test_the_page_lists_the_largest_error_and_draws_those_with_the_largest():
    a = assessed()
    values = number_values(a.fits)
    assert values["largest"].rows[0][0] == "7"
    assert len(values["numbers"]) == 2
    page = a.report()
    assert ">7</td>" in page.split("Predicted and observed</h2>")[-1]
    assert "misclassified" not in page
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(3000, 1))
    wide = trueness.assess(LinearRegression(), np.arange(3000.0)[:, None], truth.ravel(), plan=5, metrics="mae", rng=0)
    drawn = number_values(wide.fits)["numbers"][0].panels[0].marks[1]
    assert len(drawn.x) == 1000
    assert np.abs(np.subtract(drawn.x, drawn.y)).max() == np.abs(np.subtract(*held_out(wide.fits))).max()


def test_large_numbers_have_no_exponents():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = 2e5 + 3e4 * X[:, 0] + 1e4 * rng.normal(size=60)
    page = trueness.assess(LinearRegression(), X, y, plan=5, metrics="rmse", rng=0).report()
    assert "e+0" not in page
    assert "STARD" not in page


@pytest.mark.parametrize("numbers", [True, False])
def test_subgroups_are_a_section(numbers):
    X, y = make_regression(120, 3, noise=20, random_state=0)
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(sex=np.arange(120) % 2)
    site = np.where(np.arange(120) < 118, "<north>", "tiny")
    model, target = (LinearRegression(), y) if numbers else (GaussianNB(), (y > 0).astype(int))
    a = trueness.assess(model, table, target, plan=trueness.KFold(4), rng=0)
    page = a.report(by={"sex": table["sex"], "site": site})
    assert a.by("sex").answer() in page
    assert page.count("<h3>By ") == 2
    assert "&lt;north&gt;" in page
    assert "<north>" not in page
    assert len(re.findall(r"<summary>[^<]* by ", page)) == 2 * (len(a.recommended) - 1)
    assert "<h3>By sex</h3>" in a.report(by="sex")
    assert "Subgroups" not in a.report()
    patient = np.arange(120) // 4 * 2 + table["sex"]
    more = {} if numbers else {"metrics": "auc"}
    one_pass = trueness.assess(model, table, target, groups=patient, plan=trueness.plans.LeaveOneOut(), rng=0, **more)
    assert one_pass.by("sex").answer() in one_pass.report(by="sex")
    with pytest.raises(InputError, match="There is no column 'site'"):
        a.report(by=["sex", "site"])
    assert ">missing<" in a.report(by={"sex": [None, *site[1:]]})
    with pytest.raises(UndefinedError, match="No subgroup has enough cases"):
        a.report(by={"case": np.arange(120)})

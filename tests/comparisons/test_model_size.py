"""Sample sizes of prediction models: pmsampsize's and pmvalsampsize's numbers, laws, bad input, the command line."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from trueness import comparisons as C
from trueness.cli.main import run
from trueness.comparisons.model_size import cox_snell_r2
from trueness.errors import InputError

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "model_size.json").read_text())


@pytest.mark.parametrize("r", REFERENCE["development"], ids=lambda r: str(sorted(r["given"].values(), key=str)))
def test_development_against_pmsampsize(r):
    g = r["given"]
    if g["type"] == "b":
        more = {"prevalence": g["prevalence"], "shrinkage": g.get("shrinkage", 0.9)}
        s = C.size_for_development(g["parameters"], r2=r["r2"], **more)  # the R² that it simulated, where it has an AUC
        assert list(s.criteria.values()) == r["sizes"][:3]
        if "cstatistic" in g:
            assert C.size_for_development(g["parameters"], auc=g["cstatistic"], **more).n == pytest.approx(
                s.n, rel=0.01
            )
    else:
        s = C.size_for_development(g["parameters"], r2=g["rsquared"], mean=g["intercept"], sd=g["sd"])
        assert list(s.criteria.values())[:3] == r["sizes"][:3]
    assert s.n == r["sizes"][-1]


@pytest.mark.parametrize("r", REFERENCE["validation"], ids=lambda r: str(r["given"]["prevalence"]))
def test_validation_against_pmvalsampsize(r):
    """It draws a million linear predictors, and searches standard errors in steps."""
    g = r["given"]
    s = C.size_for_validation(
        g["prevalence"],
        g["cstatistic"],
        linear_predictor=g["lpnormal"],
        o_e_width=g.get("oeciwidth", 0.2),
        slope_width=g.get("csciwidth", 0.2),
        auc_width=g.get("cstatciwidth", 0.1),
        threshold=g.get("threshold"),
        sensitivity=g.get("sensitivity"),
        specificity=g.get("specificity"),
    )
    assert list(s.criteria.values()) == pytest.approx(r["sizes"][:-1], rel=0.003)


def test_r2_of_an_auc_is_that_of_logistic_regression():
    rng = np.random.default_rng(0)
    y = (rng.random(200_000) < 0.3).astype(int)
    x = rng.normal(size=200_000) + np.sqrt(2) * 0.8416212 * y  # AUC .8
    p = LogisticRegression(C=1e6).fit(x[:, None], y).predict_proba(x[:, None])[:, 1]
    gain = np.mean(np.log(np.where(y, p, 1 - p))) - np.mean(np.log(np.where(y, y.mean(), 1 - y.mean())))
    assert cox_snell_r2(0.8, 0.3) == pytest.approx(1 - np.exp(-2 * gain), abs=0.003)
    assert cox_snell_r2(0.8, 0.3) == pytest.approx(cox_snell_r2(0.8, 0.7))


def test_laws():
    one, two = (C.size_for_development(p, prevalence=0.2, r2=0.1).criteria for p in (10, 20))
    first, second = list(one)[:2]
    assert two[first] == pytest.approx(2 * one[first], abs=1)
    assert two[second] == pytest.approx(2 * one[second], abs=1)
    wide, narrow = (C.size_for_validation(0.2, 0.8, slope_width=w).criteria for w in (0.4, 0.2))
    slope = next(name for name in narrow if "slope" in name)
    assert narrow[slope] == pytest.approx(4 * wide[slope.replace("0.2", "0.4")], abs=4)
    drawn = C.size_for_validation(0.2, 0.8, threshold=0.2)
    assert drawn.n == max(drawn.criteria.values())
    assert f"by the criterion: {drawn.deciding}" in str(drawn)
    assert drawn.frame()["n"].item() == drawn.n


@pytest.mark.parametrize(
    ("call", "param"),
    [
        (lambda: C.size_for_development(0, prevalence=0.2, r2=0.1), "parameters"),
        (lambda: C.size_for_development(5), "r2"),
        (lambda: C.size_for_development(5, prevalence=0.0, r2=0.1), "prevalence"),
        (lambda: C.size_for_development(5, prevalence=0.2), "prevalence"),
        (lambda: C.size_for_development(5, prevalence=0.2, r2=0.7), "r2"),
        (lambda: C.size_for_development(5, prevalence=0.2, auc=0.5), "auc"),
        (lambda: C.size_for_development(5, prevalence=0.2, r2=0.1, mean=1.0), "prevalence"),
        (lambda: C.size_for_development(5, r2=0.1, mean=0.0, sd=1.0), "mean"),
        (lambda: C.size_for_validation(0.2, 0.4), "auc"),
        (lambda: C.size_for_validation(0.2, 0.8, linear_predictor=(1.0, -1.0)), "linear_predictor"),
        (lambda: C.size_for_validation(0.2, 0.8, sensitivity=0.5), "threshold"),
        (lambda: C.size_for_validation(0.2, 0.8, threshold=1.0), "threshold"),
        (lambda: C.size_for_validation(0.2, 0.8, auc_width=0.0), "auc_width"),
    ],
)
def test_bad_input(call, param):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.param == param


def test_command_line(capsys):
    assert run(["size", "development", "--parameters", "24", "--prevalence", ".174", "--r2", ".288"]) == 0
    assert "662 cases, by the criterion: " in capsys.readouterr().out
    assert run(["size", "development", "--parameters", "24", "--prevalence", ".174", "--value", ".89"]) == 0
    assert run(["size", "validation", "--prevalence", ".018", "--value", ".8"]) == 0
    assert "calibration slope" in capsys.readouterr().out
    assert run(["size", "development", "--prevalence", ".2", "--r2", ".1"]) == 2
    assert "--parameters: This is required" in capsys.readouterr().err
    assert run(["size", "validation", "--prevalence", ".2", "--value", ".8", "--power", ".9"]) == 2

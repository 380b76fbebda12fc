"""More than two classes: confusion matrices, measures per class, averages and their standard errors."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

import trueness
from trueness.errors import InputError
from trueness.formulas import tables
from trueness.tables import SeveralClasses
from trueness.tables.study_designs import CaseControl, Cohort, Prevalence

approx = pytest.approx

# an imbalanced problem: shares .70, .20, .10
P = np.array([[0.60, 0.06, 0.04], [0.05, 0.12, 0.03], [0.02, 0.02, 0.06]])
NAMES = np.array(["a", "b", "c"])


def draw(n, rng=0):
    cell = np.random.default_rng(rng).choice(9, size=n, p=P.ravel())
    return NAMES[cell // 3], NAMES[cell % 3]


# -- confusion ---------------------------------------------------------------------------------------------------------


def test_confusion_counts():
    y, p = draw(200)
    table = trueness.tables.confusion(y, p)
    assert isinstance(table, pd.DataFrame)
    assert table.to_numpy().tolist() == sk.confusion_matrix(y, p).tolist()
    assert table.index.tolist() == table.columns.tolist() == ["a", "b", "c"]


def test_confusion_of_two_classes_needs_no_positive():
    assert trueness.tables.confusion(["well", "sick", "sick"], ["well", "well", "sick"]).loc["sick", "well"] == 1


# -- values against scikit-learn ---------------------------------------------------------------------------------------


def test_values():
    y, p = draw(300, 1)
    d = trueness.diagnose(y, p)
    assert isinstance(d, SeveralClasses)
    assert d.accuracy.value == approx(sk.accuracy_score(y, p))
    assert d.error.value == approx(1 - sk.accuracy_score(y, p))
    assert d.mcc.value == approx(sk.matthews_corrcoef(y, p))
    assert d.kappa.value == approx(sk.cohen_kappa_score(y, p))
    for measure, theirs in (("f1", sk.f1_score), ("ppv", sk.precision_score), ("tpf", sk.recall_score)):
        for average in ("macro", "micro", "weighted"):
            assert getattr(d, average)(measure).value == approx(theirs(y, p, average=average))
        assert [e.value for e in d.per_class(measure).values()] == approx(theirs(y, p, average=None))
    assert d.f_beta(2).value == approx(sk.fbeta_score(y, p, beta=2, average="macro"))
    assert d.f_beta(2, "weighted").value == approx(sk.fbeta_score(y, p, beta=2, average="weighted"))


def test_one_class_against_the_rest_is_a_table_of_two():
    y, p = draw(300, 2)
    d = trueness.diagnose(y, p)
    for label in NAMES:
        two = trueness.diagnose(y == label, p == label)
        for measure in ("tpf", "fpf", "ppv", "npv", "f1", "mcc", "kappa", "youden", "accuracy"):
            one = d.per_class(measure)[label]
            assert (one.value, one.se) == approx((two[measure].value, two[measure].se))


# -- standard errors ---------------------------------------------------------------------------------------------------


def simulated(function, n, size=60_000):
    drawn = np.random.default_rng(5).multinomial(n, P.ravel(), size=size).reshape(-1, 3, 3)
    return function(drawn)


def against_rest(t, c):
    tp = t[..., c, c]
    fn, fp = t[..., c, :].sum(axis=-1) - tp, t[..., :, c].sum(axis=-1) - tp
    return np.stack([t.sum(axis=(-2, -1)) - tp - fn - fp, fp, fn, tp], axis=-1).reshape(*t.shape[:-2], 2, 2)


def each(function, t):
    return np.stack([function(against_rest(t, c)) for c in range(3)])


def mcc(t):
    return tables.mcc(tables.margins(t))


def kappa(t):
    return tables.kappa(tables.margins(t))


def f1(t):
    return tables.f_beta(t, 1)


def test_macro_f1_and_mcc_have_the_spread_of_their_samples():
    """Within 3 % of the Monte-Carlo SD on an imbalanced problem of three classes, 400 cases."""
    d = SeveralClasses(Cohort(P * 400), tuple(NAMES))
    macro = simulated(lambda t: each(f1, t).mean(axis=0), 400)
    assert d.macro("f1").se == approx(np.nanstd(macro), rel=0.03)
    assert d.mcc.se == approx(simulated(mcc, 400).std(), rel=0.03)
    assert d.kappa.se == approx(simulated(kappa, 400).std(), rel=0.03)
    assert d.macro("tpf").se == approx(
        simulated(lambda t: each(lambda s: s[..., 1, 1] / s[..., 1, :].sum(-1), t).mean(0), 400).std(), rel=0.03
    )
    share = lambda t: t.sum(axis=-1).T / t.sum(axis=(-2, -1))  # noqa: E731
    weighted = simulated(lambda t: (each(f1, t) * share(t)).sum(axis=0), 400)
    assert d.weighted("f1").se == approx(np.nanstd(weighted), rel=0.03)
    assert d.micro("f1").se == approx(d.accuracy.se)
    assert d.weighted("tpf").se == approx(d.accuracy.se)  # Σ_c P_c TPF_c is the accuracy


def test_estimated_standard_errors_are_right_on_average():
    """The mean of the estimated variances over samples, not only the one at the truth."""
    rng = np.random.default_rng(6)
    drawn = rng.multinomial(400, P.ravel(), size=300).reshape(-1, 3, 3)
    found = [SeveralClasses(Cohort(t), tuple(NAMES)) for t in drawn]
    macro = simulated(lambda t: each(f1, t).mean(axis=0), 400)
    assert math.sqrt(np.mean([d.macro("f1").se ** 2 for d in found])) == approx(np.nanstd(macro), rel=0.03)
    assert math.sqrt(np.mean([d.mcc.se**2 for d in found])) == approx(simulated(mcc, 400).std(), rel=0.03)


def test_variances_of_the_parts_do_not_just_add():
    d = SeveralClasses(Cohort(P * 400), tuple(NAMES))
    alone = math.sqrt(sum(e.se**2 for e in d.per_class("f1").values())) / 3
    assert abs(alone / d.macro("f1").se - 1) > 0.05


def test_macro_f1_where_another_package_is_wrong():
    """confidenceinterval 1.0.5, f1_score(y, p, average="macro", method="takahashi"): .5993 to .7325, an error of
    .0340; the Monte-Carlo SD is .0302."""
    counts = np.array([[240, 24, 16], [20, 48, 12], [8, 8, 24]])
    drawn = np.random.default_rng(0).multinomial(400, counts.ravel() / 400, size=60_000).reshape(-1, 3, 3)
    spread = np.nanstd(each(f1, drawn).mean(axis=0))
    ours = SeveralClasses(Cohort(counts), tuple(NAMES)).macro("f1").se
    theirs = (0.7325134631745485 - 0.5992542288867588) / 2 / 1.959964
    assert ours == approx(spread, rel=0.02)
    assert theirs / spread > 1.1


def test_influence_of_every_case():
    y, p = draw(300, 3)
    d = trueness.diagnose(y, p)
    for e in (d.macro("f1"), d.mcc, d.accuracy, d.per_class("tpf")["b"], d.weighted("ppv"), d.cost(1 - np.eye(3))):
        assert e.influence.shape == (300,)
        assert np.linalg.norm(e.influence) == approx(e.se)


def test_coverage_of_macro_f1():
    rng = np.random.default_rng(7)
    truth = float(each(f1, P).mean())
    inside = 0
    for t in rng.multinomial(150, P.ravel(), size=600).reshape(-1, 3, 3):
        low, high = SeveralClasses(Cohort(t), tuple(NAMES)).macro("f1").ci()
        inside += low <= truth <= high
    assert inside / 600 > 0.925


# -- designs -----------------------------------------------------------------------------------------------------------


def test_case_control_at_given_prevalences():
    counts = np.array([[80, 10, 10], [20, 60, 20], [10, 15, 75]])
    rho = np.array([0.7, 0.2, 0.1])
    d = SeveralClasses(CaseControl(counts, Prevalence(rho)), tuple(NAMES))
    joint = rho[:, None] * counts / 100
    assert d.accuracy.value == approx(np.trace(joint))
    assert d.mcc.value == approx(float(mcc(joint)))
    rng = np.random.default_rng(8)
    drawn = np.stack([rng.multinomial(100, row / 100, size=40_000) for row in counts], axis=1) / 100 * rho[:, None]
    assert d.macro("f1").se == approx(each(f1, drawn).mean(axis=0).std(), rel=0.03)
    assert d.mcc.se == approx(mcc(drawn).std(), rel=0.03)
    assert d.per_class("ppv")["a"].se == approx(np.std(drawn[:, 0, 0] / drawn[:, :, 0].sum(axis=1)), rel=0.03)
    unknown = SeveralClasses(CaseControl(counts), tuple(NAMES))
    assert math.isnan(unknown.macro("f1").value)
    assert unknown.macro("tpf").value == approx((0.8 + 0.6 + 0.75) / 3)
    assert math.isnan(unknown.per_class("fpf")["a"].value)  # the rest is a mixture by prevalence


def test_case_control_from_labels():
    y, p = draw(300, 4)
    d = trueness.diagnose(y, p, design="case-control", prevalence=[0.5, 0.3, 0.2])
    assert 0 < d.accuracy.value < 1
    with pytest.raises(InputError, match="one share per class"):
        trueness.diagnose(y, p, design="case-control", prevalence=[0.5, 0.5])


def test_selected_design_of_several_classes():
    y, p = draw(4000, 5)
    hidden = np.random.default_rng(0).random(4000) < np.where(p == "a", 0.7, 0.1)
    seen = np.where(hidden, None, y)
    corrected, naive = trueness.diagnose(seen, p, design="selected"), trueness.diagnose(y[~hidden], p[~hidden])
    full = trueness.diagnose(y, p)
    assert corrected.accuracy.value == approx(full.accuracy.value, abs=4 * corrected.accuracy.se)
    assert abs(naive.per_class("tpf")["a"].value - full.per_class("tpf")["a"].value) > 0.02
    assert corrected.per_class("tpf")["a"].value == approx(full.per_class("tpf")["a"].value, abs=0.015)


# -- costs -------------------------------------------------------------------------------------------------------------


def test_cost_matrices_of_any_size():
    y, p = draw(200, 6)
    d = trueness.diagnose(y, p)
    c = np.array([[0, 1, 5], [2, 0, 1], [20, 7, -1]])
    cost = np.array([c[list(NAMES).index(a), list(NAMES).index(b)] for a, b in zip(y, p, strict=True)])
    assert d.cost(c).value == approx(cost.mean())
    assert d.cost(c).se == approx(cost.std() / math.sqrt(200))
    for wrong in (
        np.eye(2),
        np.eye(4),
        [1, 2, 3],
        [[0, 1], [1]],
        np.full((3, 3), np.nan),
        np.ones((3, 3)),
        "expensive",
    ):
        with pytest.raises(InputError) as refused:
            d.cost(wrong)
        assert refused.value.param == "matrix"


# -- undefined, shown, bad input --------------------------------------------------------------------------------------


def test_a_class_never_decided_is_undefined_and_named():
    y, p = ["a", "a", "b", "b", "c", "c"], ["a", "b", "b", "b", "a", "b"]
    d = trueness.diagnose(y, p)
    assert math.isnan(d.per_class("ppv")["c"].value)
    assert math.isnan(d.macro("f1").value)
    assert d.macro("f1").noted("empty-margin").data["decisions"] == ["'c'"]
    assert d.macro("tpf").value == approx((0.5 + 1 + 0) / 3)
    assert json.loads(d.to_json())["measures"]["f1 macro"]["value"] is None


def test_a_perfect_table():
    y = np.repeat(NAMES, 20)
    d = trueness.diagnose(y, y)
    for e in (d.accuracy, d.macro("f1"), d.mcc, d.kappa, d.weighted("ppv")):
        low, high = e.ci()
        assert (e.value, high) == (1, 1)
        assert 0.8 < low < 1


def test_shown():
    y, p = draw(100, 7)
    d = trueness.diagnose(y, p)
    for text in (str(d), d.to_latex(), d.to_markdown()):
        assert "f1 macro" in text
    stored = json.loads(d.to_json())
    assert stored["design"]["counts"]["values"] == trueness.tables.confusion(y, p).to_numpy().tolist()
    assert d.frame()["measure"].is_unique


def test_bad_input():
    y, p = draw(50, 8)
    d = trueness.diagnose(y, p)
    for ask, param in (
        (lambda: d.macro("dlr_positive"), "measure"),
        (lambda: d.f_beta(1, "all"), "average"),
        (lambda: d.f_beta(-1), "beta"),
    ):
        with pytest.raises(InputError) as error:
            ask()
        assert error.value.param == param
    with pytest.raises(InputError, match="not among the classes"):
        trueness.tables.confusion(y, np.where(p == "a", "z", p))

"""One question through every door: the same data give the same value, standard error, limits and p."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import trueness
from trueness import comparisons as C
from trueness.cli.main import run
from trueness.errors import InputError


class Given(ClassifierMixin, BaseEstimator):
    """A fitted rule that answers with the column of X that it is given."""

    def __init__(self, column=0, threshold=0.5):
        self.column, self.threshold = column, threshold
        self.classes_ = np.array([0, 1])

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, self.column]

    def predict(self, X):
        return (self.decision_function(X) >= self.threshold).astype(int)


def cases(kind):
    """Labels, scores of two rules, and groups."""
    rng = np.random.default_rng(8)
    n = 24 if kind == "few" else 90
    y, groups = (rng.random(n) < 0.45).astype(int), np.repeat(np.arange(n // 3), 3)
    scores = rng.normal(size=(2, n)) + y + 0.8 * rng.normal(size=n // 3)[groups]
    if kind == "ties":
        scores = scores.round()
    if kind == "perfect":  # the first rule has an AUC of 1 and no error
        scores[0] = 2.0 * y - 0.5 + 0.1 * rng.random(n)
    if kind == "equal":  # other scores, the same decisions and order
        scores[1] = scores[0] + 0.1 * (scores[0] > 0.5)
    return y, scores[0], scores[1], groups


KINDS = ["plain", "few", "ties", "perfect", "equal"]
GROUPED = [False, True]


def numbers(d, p):
    limits = tuple(d.ci(0.9)) if d.has_interval else None
    return {"value": d.value, "se": d.se, "limits": limits, "p": p}


def p_of(test):
    return None if test is None else test.p_value


def fits_of(y, s, g):
    zeros = np.zeros((1, len(y)), int)
    return trueness.Fits.from_arrays(y, zeros, s[None], threshold=0.5, groups=g, plan="holdout")


def table_of(y, a, b, g):
    return pd.DataFrame({"id": range(len(y)), "y": y, "a": a, "b": b, "g": 0 if g is None else g})


def systems(y, a, b, g, **options):
    k = trueness.systems.compare(
        table_of(y, a, b, g), systems=["a", "b"], cluster=None if g is None else "g", **options
    )
    return numbers(k.difference, k.p_value)


def of_fits(metric, y, a, b, g):
    d = trueness.difference(fits_of(y, a, g), fits_of(y, b, g), metric, "holdout")
    k = trueness.compare({"a": fits_of(y, a, g), "b": fits_of(y, b, g)}, metric=metric)
    return numbers(d, k.p_value)


def compared(metric, y, a, b, g):
    X = np.stack([a, b], axis=1)
    k = trueness.compare(
        {"a": Given(0), "b": Given(1)}, X, y, metric=metric, plan="prefit", groups=g, checks=False, positive=1
    )
    return numbers(k.difference, k.p_value)


def delong(y, a, b, g):
    t = C.delong(y, a, b, groups=g)
    return numbers(t.difference, t.p_value)


def several(y, a, b, g):
    c = trueness.roc(y, {"a": a, "b": b}, groups=g)
    return numbers(c.differences["a", "b"], p_of(c.tests.get(("a", "b"))))


def decided(s):
    return (s >= 0.5).astype(int)


def right(y, s):
    return (decided(s) == y).astype(int)


def mcnemar(y, a, b, g):
    t = C.mcnemar(y, decided(a), decided(b), groups=g)
    return numbers(t.difference, t.p_value)


def versus(measure, y, a, b, g):
    v = trueness.diagnose(y, decided(a), groups=g).versus(trueness.diagnose(y, decided(b), groups=g))
    return numbers(v.difference(measure), p_of(v.test(measure)))


def among(code, door):
    """The same door asked about the cases of one class."""

    def ask(y, a, b, g):
        of = y == code
        return door(y[of], a[of], b[of], None if g is None else g[of])

    return ask


QUESTIONS = {
    "auc": [
        lambda *data: systems(*data, truth="y", metric="auc"),
        lambda *data: of_fits("auc", *data),
        lambda *data: compared("auc", *data),
        delong,
        several,
    ],
    "error": [
        mcnemar,
        lambda *data: of_fits("error", *data),
        lambda *data: compared("error", *data),
        lambda *data: versus("error", *data),
        lambda y, a, b, g: systems(y, right(y, a), right(y, b), g, metric="error"),
        lambda y, a, b, g: systems(y, decided(a), decided(b), g, truth="y", metric="error"),
    ],
    "accuracy": [
        lambda y, a, b, g: systems(y, right(y, a), right(y, b), g),
        lambda *data: of_fits("accuracy", *data),
        lambda *data: versus("accuracy", *data),
    ],
    "fpf": [
        lambda *data: versus("fpf", *data),
        lambda *data: of_fits("fpf", *data),
        lambda *data: compared("fpf", *data),
        among(0, lambda y, a, b, g: systems(y, right(y, a), right(y, b), g, metric="error")),
        among(0, mcnemar),
    ],
    **{
        name: [
            lambda *data, name=name: versus(name, *data),
            lambda *data, name=name: of_fits(name, *data),
            lambda *data, name=name: compared(name, *data),
        ]
        for name in ("ppv", "npv", "dlr_positive", "dlr_negative", "youden", "balanced_accuracy", "f1", "mcc")
    },
}


@pytest.mark.parametrize("grouped", GROUPED)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_door_gives_the_same_answer(question, kind, grouped):
    y, a, b, g = cases(kind)
    answers = [door(y, a, b, g if grouped else None) for door in QUESTIONS[question]]
    first = answers[0]
    for answer in answers[1:]:
        for name, expected in first.items():
            same = expected is None if answer[name] is None else answer[name] == pytest.approx(expected, rel=1e-12)
            assert same, (name, expected, answer[name])
    assert kind in ("equal", "few") or first["p"] is None or first["p"] < 1


def of_table(name):
    return [
        lambda y, s, g: trueness.diagnose(y, decided(s), groups=g)[name],
        lambda y, s, g: trueness.estimate(fits_of(y, s, g), name, "holdout"),
    ]


ONE_RULE = {
    **{name: of_table(name) for name in ("youden", "balanced_accuracy", "ppv", "npv", "dlr_positive", "f1", "mcc")},
    "auc": [
        lambda y, s, g: trueness.roc(y, s, groups=g).auc,
        lambda y, s, g: trueness.estimate(fits_of(y, s, g), "auc", "holdout"),
        lambda y, s, g: system(y, s, g, truth="y", metric="auc"),
    ],
    "accuracy": [
        lambda y, s, g: trueness.diagnose(y, decided(s), groups=g).accuracy,
        lambda y, s, g: trueness.estimate(fits_of(y, s, g), "accuracy", "holdout"),
        lambda y, s, g: system(y, right(y, s), g),
    ],
}


def system(y, s, g, **options):
    frame = table_of(y, s, np.roll(s, 1), g)
    k = trueness.systems.compare(frame, systems=["a", "b"], cluster=None if g is None else "g", **options)
    return k.estimates["a"]


@pytest.mark.parametrize("grouped", GROUPED)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("question", ONE_RULE)
def test_every_door_gives_one_rule_the_same_interval(question, kind, grouped):
    y, s, _, g = cases(kind)
    found = [door(y, s, g if grouped else None) for door in ONE_RULE[question]]
    for e in found:
        assert e.value == pytest.approx(found[0].value, rel=1e-12)
        assert (e.se is None) == (found[0].se is None)

        assert e.se is None or e.se == pytest.approx(found[0].se, rel=1e-12)
        assert tuple(e.ci(0.9)) == pytest.approx(tuple(found[0].ci(0.9)), rel=1e-12)


def test_a_systems_accuracy_in_clusters_has_the_interval_of_a_proportion():
    """Its lower limit was never above .025^(1/clusters): .74 of ten clusters."""
    rng = np.random.default_rng(1)
    cluster, right_a = np.repeat(np.arange(10), 40), (rng.random(400) < 0.93).astype(int)
    frame = pd.DataFrame({"id": range(400), "g": cluster, "a": right_a, "b": 1 - right_a})
    e = trueness.systems.compare(frame, systems=["a", "b"], cluster="g").estimates["a"]
    y = np.tile([0, 1], 200)
    expected = trueness.diagnose(y, np.where(right_a == 1, y, 1 - y), groups=cluster).accuracy
    assert tuple(e.ci()) == tuple(expected.ci())
    assert e.ci().low > 0.85


@pytest.mark.parametrize("grouped", GROUPED)
def test_equal_correctness_has_an_interval_with_length(grouped):
    y, a, b, g = cases("equal")
    for door in QUESTIONS["error"]:
        found = door(y, a, b, g if grouped else None)
        assert found["limits"][0] < 0 < found["limits"][1]
        assert (found["value"], found["se"], found["p"]) == (0, None, 1)


def test_no_door_leaves_out_a_missing_answer():
    y, a, b, _ = cases("plain")
    gap = b.copy()
    gap[3] = np.nan
    for ask in (
        lambda: C.delong(y, a, gap),
        lambda: C.mcnemar(y, decided(a), [None if k == 3 else int(v) for k, v in enumerate(decided(b))]),
        lambda: systems(y, a, gap, None, truth="y", metric="auc"),
        lambda: systems(y, right(y, a), np.where(np.isnan(gap), np.nan, right(y, b)), None),
        lambda: trueness.roc(y, gap),
    ):
        with pytest.raises(InputError):
            ask()


def test_runs_are_averaged_case_by_case():
    y, a, b, _ = cases("plain")
    runs = pd.concat([table_of(y, a + k, b + k * y, None).assign(seed=k) for k in (0, 1)])
    k = trueness.systems.compare(runs, systems=["a", "b"], truth="y", metric="auc", run="seed")
    each = [C.delong(y, a + r, b + r * y).difference for r in (0, 1)]
    assert k.difference.value == pytest.approx(np.mean([d.value for d in each]))
    assert k.difference.se == pytest.approx(np.linalg.norm(np.mean([d.influence for d in each], axis=0)))


@pytest.mark.parametrize("grouped", GROUPED)
def test_the_command_line_gives_the_same_answer(tmp_path, capsys, grouped):
    y, a, b, g = cases("plain")
    table_of(y, a, b, g).to_csv(tmp_path / "t.csv", index=False)
    expected = delong(y, a, b, g if grouped else None)
    more = ["--groups", "g"] if grouped else []
    assert (
        run(["roc", str(tmp_path / "t.csv"), "--label", "y", "--score", "a", "--score", "b", "--format", "json", *more])
        == 0
    )
    found = json.loads(capsys.readouterr().out)["delong"][0]
    assert (found["difference_se"], found["p_value"]) == pytest.approx((expected["se"], expected["p"]), rel=1e-12)
    more = ["--cluster-by", "g"] if grouped else []
    arguments = ["--system", "a", "--system", "b", "--truth", "y", "--metric", "auc", "--format", "json"]
    assert run(["compare-systems", str(tmp_path / "t.csv"), *arguments, *more]) == 0
    pair = json.loads(capsys.readouterr().out)["pairs"][0]
    assert pair["se"] == pytest.approx(expected["se"], rel=1e-12)
    assert pair["p_value"] == pytest.approx(expected["p"], rel=1e-12)


def three(kind):
    """Labels, scores of three rules, and groups."""
    y, a, b, g = cases(kind)
    return y, {"a": a, "b": b, "c": (a + b) / 2 + np.random.default_rng(3).normal(size=len(y))}, g


def of_all(k):
    """p adjusted for all pairs, and the limits that hold for all of them together."""
    return [(k.adjusted[pair], *k.differences[pair].ci(k.pair_level)) for pair in k.differences]


def by_systems(y, rules, g, **options):
    frame = pd.DataFrame({"id": range(len(y)), "y": y, "g": 0 if g is None else g, **rules})
    return trueness.systems.compare(frame, systems=list(rules), cluster=None if g is None else "g", **options)


@pytest.mark.parametrize("grouped", GROUPED)
@pytest.mark.parametrize("kind", ["plain", "few", "ties"])
def test_three_rules_have_one_adjustment_through_every_door(kind, grouped):
    y, rules, g = three(kind)
    g = g if grouped else None
    X, models = np.stack(list(rules.values()), axis=1), {name: Given(k) for k, name in enumerate(rules)}
    decisions = {name: decided(s) for name, s in rules.items()}
    for metric, given in (("auc", rules), ("error", decisions)):
        expected = by_systems(y, given, g, truth="y", metric=metric)
        prefit = trueness.compare(models, X, y, metric=metric, plan="prefit", groups=g, checks=False, positive=1)
        fits = trueness.compare({name: fits_of(y, s, g) for name, s in rules.items()}, metric=metric)
        for k in (prefit, fits):
            # the law of the largest is integrated over 2¹⁶ points
            assert np.array(of_all(k)) == pytest.approx(np.array(of_all(expected)), abs=2e-3)
            assert k.p_value == pytest.approx(expected.p_value, abs=2e-3)
    curves, expected = trueness.roc(y, rules, groups=g), by_systems(y, rules, g, truth="y", metric="auc")
    by_pair = [
        {frozenset(pair): p for pair, p in k.adjusted.items()} for k in (curves, expected)
    ]  # systems are best first
    assert by_pair[0] == pytest.approx(by_pair[1], abs=2e-3)

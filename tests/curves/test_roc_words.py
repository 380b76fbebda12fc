"""What ROC results print, and errors about what was asked."""

import math
import pickle

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import trueness
from trueness.errors import InputError
from trueness.result.words import between, with_interval
from trueness.studies.populations import highleyman

mpl.use("agg")


def drawn(n1=60, n0=80, shift=1.3):
    generator = np.random.default_rng(0)
    return np.repeat([1, 0], [n1, n0]), np.r_[shift + generator.standard_normal(n1), generator.standard_normal(n0)]


@pytest.fixture(scope="module")
def c():
    return trueness.roc(*drawn())


@pytest.fixture(scope="module")
def o():
    X, y = highleyman().draw((60, 60), rng=0)
    return trueness.curves.operating_points(trueness.fit(GaussianNB(), X, y, trueness.KFold(10), rng=0), n_points=20)


def test_a_threshold_prints_its_interval_and_has_a_table(c):
    t = c.threshold_at(tpf=0.9)
    assert t.frame().loc[0].tolist() == ["tpf", 0.9, t.value, *t.ci()]
    for number in (t.value, *t.ci()):
        assert f"{number:.6g}" in str(t)


def test_operating_points_and_bands_print_a_line(c, o):
    assert str(o).startswith("Operating points: 20, means over 10 folds of 120 cases")
    assert str(c.band(0.9, "vertical")) == "90 % vertical band"


def test_ranges_are_given_from_low_to_high(c):
    for given in ({"fpf": (0.1, 0.1)}, {"tpf": (0, 0)}, {"fpf": (0.2, 0.1)}):
        with pytest.raises(InputError, match=r"must be \(low, high\). Got"):
            c.partial_auc(**given)


def test_a_band_a_curve_does_not_have_is_named_without_an_article(c):
    with pytest.raises(InputError, match="no working-hotelling band for the empirical curve"):
        c.band(method="working-hotelling")


@pytest.mark.parametrize(
    "order", [np.zeros(60), np.arange(60), -np.arange(60)], ids=["constant", "perfect", "inverted"]
)
@pytest.mark.parametrize("method", ["fixed-width", "kolmogorov", "vertical", "bootstrap"])
def test_bands_at_the_limits_have_length(order, method):
    b = trueness.roc(np.repeat([0, 1], 30), order).band(0.95, method, n_resamples=30, rng=0)
    assert ((b.high - b.low)[b.fpf < 1] > 0.05).all()
    assert ("resamples-agree" in [note.code for note in b.notes]) is (method == "bootstrap")


def test_resamples_that_agree_on_a_fitted_curve_are_said():
    y = np.repeat([0, 1], 30)
    b = trueness.roc(y, np.arange(60) + 100 * y, "semiparametric").band(n_resamples=20, rng=0)
    assert [note.code for note in b.notes] == ["resamples-agree"]


def test_results_still_pickle(c, o):
    for result in (
        c.at(0.5),
        c.threshold_at(fpf=0.1),
        c.auc,
        c.partial_auc(fpf=(0, 0.01)),
        c.band(rng=0, n_resamples=20),
    ):
        assert str(pickle.loads(pickle.dumps(result))) == str(result)


def test_every_result_shows_keeps_and_draws_itself(c, o):
    import json

    y, s = drawn()
    results = [
        c,
        *(trueness.roc(y, s, method) for method in ("binormal", "semiparametric", "normal")),
        c.best(n_resamples=20, rng=0),
        c.band(0.9, "vertical"),
        c.band(0.9, "binomial"),
        trueness.pr(y, s),
        o,
    ]
    for result in results:
        assert repr(result) == str(result)
        assert type(result).__name__ not in str(result)  # what it is, not how it is stored
        assert len(result.frame()) > 0
        assert json.loads(result.to_json()) == result.to_dict()
        assert "<p" in result._repr_html_()
        assert result.plot() is not None


def test_a_curve_says_what_it_is_how_it_was_computed_and_what_was_assumed(c):
    words = str(c)
    for part in ("ROC curve (empirical)", "60 of class 1 (positive)", "delong", "logit", "independent cases"):
        assert part in words
    assert "normal in both classes" in str(trueness.roc(*drawn(), "normal"))
    assert "+inf" in str(trueness.roc([0, 1, 0, 1], [0, 1, 2, math.inf]))


@pytest.mark.parametrize(
    ("ask", "param"),
    [
        (lambda c: trueness.roc([0, 1], [0, 1], "smooth"), "method"),
        (lambda c: c.tpf_at(2), "fpf"),
        (lambda c: c.fpf_at("all"), "tpf"),
        (lambda c: c.partial_auc(tpf=(0.2, 0.1)), "tpf"),
        (lambda c: c.best(costs=[1, 2]), "costs"),
        (lambda c: c.best("brier"), "criterion"),
        (lambda c: c.best(prevalence=3), "prevalence"),
        (lambda c: c.best(n_resamples=-1), "n_resamples"),
        (lambda c: c.band(95), "level"),
        (lambda c: c.band(method="working-hotelling"), "method"),
        (lambda c: c.at("x"), "threshold"),
        (lambda c: c.auc_with("obuchowski"), "se"),
    ],
)
def test_errors_name_the_parameter(c, ask, param):
    with pytest.raises(InputError) as raised:
        ask(c)
    assert raised.value.param == param


def test_intervals_of_several_differences_belong_to_their_p_values():
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], 60)
    base = rng.normal(size=120) + y
    scores = {name: base + rng.normal(size=120) * s for name, s in (("a", 0.3), ("b", 1.0), ("c", 2.0))}
    c = trueness.roc(y, scores)
    assert 0.95 < c.pair_level <= 1 - 0.05 / 3 + 1e-9
    assert trueness.roc(y, {k: scores[k] for k in "ab"}).pair_level == 0.95
    table = c.page().tables[-1]
    for row, (pair, d) in zip(table.rows, c.differences.items(), strict=True):
        low, high = d.ci(c.pair_level)
        assert row[3] == between(low, high, d.se)
        assert (c.adjusted[pair] < 0.05) == (not low <= 0 <= high)
        assert with_interval(d, c.pair_level) in c.methods()


def test_the_same_choice_has_the_same_interval_and_says_where_all_are_negative(c):
    assert tuple(c.best().ci()) == tuple(c.best().ci())
    assert tuple(c.best(rng=0).ci()) == tuple(c.best().ci())
    assert "all-negative" in [n.code for n in c.best("specificity", n_resamples=0).notes]
    assert "all-negative" not in [n.code for n in c.best(n_resamples=0).notes]


def test_few_groups_of_a_class_are_told_from_all_groups():
    y, scores = drawn()
    groups = np.r_[np.repeat(np.arange(12), 5), np.arange(12, 92) // 2]
    curve = trueness.roc(y, scores, groups=groups)
    (note,) = [n for n in curve.auc.notes if n.code == "few-groups"]
    assert "12 groups" in str(note)


def test_a_report_of_several_curves_is_titled_by_their_names():
    y, scores = drawn()
    assert "<h1>ROC curves of a, b</h1>" in trueness.roc(y, {"a": scores, "b": -scores}).report()

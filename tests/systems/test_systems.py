"""compare_systems: against SciPy, statsmodels, inspect_ai's formula, and by laws."""

import json
import math
import re
import time

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as sm_mcnemar

import trueness
from trueness import comparisons
from trueness.errors import InputError
from trueness.result.joint import Tango


def table(n=60, seed=0, runs=1, systems="abc", step=0.4):
    """Items in clusters of unequal size, that share a difficulty; 0/1 values `a`…, scores `sa`…, labels `la`…."""
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, n // 4, n)
    hard = rng.normal(size=n) + rng.normal(size=n // 4)[cluster]
    out = []
    for r in range(runs):
        part = pd.DataFrame({"id": [f"q{i:03d}" for i in range(n)], "passage": cluster, "seed": r, "y": hard > 0})
        for k, name in enumerate(systems):
            score = hard + step * k + rng.normal(size=n)
            part[f"s{name}"] = score
            part[name] = (score > 0.5).astype(int)
            part[f"l{name}"] = np.where(score > 0, "yes", "no")
        out.append(part)
    return pd.concat(out, ignore_index=True)


FRAME = table()


def inspect_stderr(values, cluster):
    """inspect_ai's stderr(cluster=), √(C/(C − 1) Σ_c (Σ_{i in c} (v_i − v̄))²/n²) of clusters of one size, with
    1/(1 − n_c/n) of each cluster in place of C/(C − 1), in plain loops."""
    mean, total = sum(values) / len(values), 0.0
    for c in set(cluster):
        own = [v - mean for v, of in zip(values, cluster, strict=True) if of == c]
        total += sum(own) ** 2 / (1 - len(own) / len(values))
    return math.sqrt(total / len(values) ** 2)


# -- other programs ------------------------------------------------------------------------------


def test_scores_of_two_systems_are_scipys_paired_t():
    k = trueness.systems.compare(FRAME, systems=["sa", "sb"], metric="score")
    t = stats.ttest_rel(FRAME["sa"], FRAME["sb"])
    assert k.p_value == pytest.approx(t.pvalue, rel=1e-12)
    assert k.difference.df == len(FRAME) - 1
    assert tuple(k.difference.ci()) == pytest.approx(tuple(t.confidence_interval()), rel=1e-12)
    assert tuple(k.interval(("sa", "sb"))) == pytest.approx(tuple(t.confidence_interval()), rel=1e-12)


def test_clustered_differences_are_inspects_formula_and_statsmodels_cluster_robust_errors():
    k = trueness.systems.compare(FRAME, systems=["sa", "sb"], cluster="passage", metric="score")
    d = (FRAME["sa"] - FRAME["sb"]).to_numpy()
    assert k.difference.se == pytest.approx(inspect_stderr(d, FRAME["passage"].tolist()), rel=1e-12)
    assert k.difference.df < FRAME["passage"].nunique() - 1
    # statsmodels has C/(C − 1) and C − 1 degrees of freedom, which are those of passages of one size
    equal = FRAME.assign(passage=np.arange(len(FRAME)) * 5 // len(FRAME))
    known = {"groups": equal["passage"].to_numpy()}
    ols = sm.OLS(d, np.ones((len(d), 1))).fit(cov_type="cluster", cov_kwds=known, use_t=True)
    k = trueness.systems.compare(equal, systems=["sa", "sb"], cluster="passage", metric="score")
    assert k.difference.se == pytest.approx(ols.bse[0], rel=1e-12)
    assert k.tests["sa", "sb"].statistic == pytest.approx(ols.tvalues[0], rel=1e-10)
    assert k.p_value == pytest.approx(ols.pvalues[0], rel=1e-9)
    mine = trueness.systems.compare(FRAME, systems=["a", "b"], cluster="passage")
    assert mine.estimates["a"].se == pytest.approx(inspect_stderr(FRAME["a"], FRAME["passage"].tolist()), rel=1e-12)


def test_0_1_values_are_mcnemars_exact_test_with_tangos_interval_and_the_mid_p_beside():
    k = trueness.systems.compare(FRAME, systems=["a", "c"])
    cells = pd.crosstab(FRAME["a"], FRAME["c"]).to_numpy()
    b, c = int(cells[1, 0]), int(cells[0, 1])
    row = k.frame(details=True).iloc[0]
    assert k.p_value == pytest.approx(sm_mcnemar(cells, exact=True).pvalue, rel=1e-12)
    assert row["p_mid"] == pytest.approx(comparisons.mcnemar_counts(b, c, "mid-p").p_value, rel=1e-12)
    assert (row["low"], row["high"]) == pytest.approx(comparisons.tango(b, c, len(FRAME)), abs=1e-9)
    assert k.difference.value == pytest.approx((b - c) / len(FRAME))
    assert row["se"] == pytest.approx(np.std(FRAME["a"] - FRAME["c"]) / math.sqrt(len(FRAME)), rel=1e-12)


def test_two_systems_have_the_numbers_of_a_comparison_of_fits_on_a_test_set():
    y = FRAME["y"].to_numpy().astype(int)
    fits = {}
    for name in ("la", "lc"):
        says = (FRAME[name] == "yes").to_numpy().astype(int)
        frame = pd.DataFrame({"case": range(len(y)), "truth": y, "said": says})
        fits[name] = trueness.Fits.from_frame(frame, case="case", truth="truth", prediction="said")
    fitted = trueness.compare(fits, metric="error")
    k = trueness.systems.compare(
        FRAME.assign(t=np.where(y == 1, "yes", "no")), systems=["la", "lc"], truth="t", metric="error"
    )
    assert k.p_value == pytest.approx(fitted.p_value, rel=1e-12)
    assert trueness.systems.compare(FRAME, systems=["a", "b"], metric="Error").metric == "error"
    assert tuple(k.difference.ci()) == pytest.approx(tuple(fitted.difference.ci()), abs=1e-9)
    assert k.verdict.split("(")[1] == fitted.verdict.split("(")[1].replace("cases", "items")
    margins = {"metric": "error", "margin": 0.2}
    fitted = trueness.compare(fits, **margins)
    k = trueness.systems.compare(
        FRAME.assign(t=np.where(y == 1, "yes", "no")), systems=["la", "lc"], truth="t", **margins
    )
    assert k.outcome == fitted.outcome
    assert k["la", "lc"].verdict == k.verdict


def test_an_auc_without_clusters_is_delongs():
    k = trueness.systems.compare(FRAME, systems=["sa", "sb"], truth="y", metric="auc")
    test = comparisons.delong(FRAME["y"], FRAME["sa"], FRAME["sb"])
    assert k.difference.se == pytest.approx(test.difference.se, rel=1e-12)
    assert k.p_value == pytest.approx(test.p_value, rel=1e-9)
    auc = trueness.roc(FRAME["y"], FRAME["sa"]).auc
    assert tuple(k.estimates["sa"].ci()) == tuple(auc.ci())


def test_a_clustered_auc_sums_delongs_influence_within_clusters():
    k = trueness.systems.compare(FRAME, systems=["sa", "sb"], truth="y", cluster="passage", metric="auc")
    y, n = FRAME["y"].to_numpy(), len(FRAME)
    influence = np.zeros(n)
    for sign, name in ((1, "sa"), (-1, "sb")):
        s = FRAME[name].to_numpy()
        wins = (s[y][:, None] > s[~y]) + 0.5 * (s[y][:, None] == s[~y])
        influence[y] += sign * (wins.mean(axis=1) - wins.mean()) / y.sum()
        influence[~y] += sign * (wins.mean(axis=0) - wins.mean()) / (~y).sum()
    for of in (y, ~y):  # the share of the class that each group holds
        sizes = FRAME.loc[of, "passage"].map(FRAME.loc[of, "passage"].value_counts()).to_numpy()
        influence[of] /= np.sqrt(1 - sizes / of.sum())
    sums = pd.Series(influence).groupby(FRAME["passage"]).sum()
    assert k.difference.se == pytest.approx(math.sqrt((sums**2).sum()), rel=1e-12)
    assert 1 < k.difference.df < FRAME.groupby("y")["passage"].nunique().min() - 1  # passages of unequal sizes


def test_a_clustered_auc_is_that_of_a_comparison_of_fits_with_groups():
    fits = {
        name: trueness.Fits.from_frame(FRAME, case="id", truth="y", score=name, group="passage")
        for name in ("sa", "sb")
    }
    fitted = trueness.compare(fits, metric="auc")
    k = trueness.systems.compare(FRAME, systems=["sa", "sb"], truth="y", cluster="passage", metric="auc")
    assert k.difference.se == pytest.approx(fitted.difference.se, rel=1e-12)
    assert k.p_value == pytest.approx(fitted.p_value, rel=1e-9)
    for name, e in fitted.estimates.items():
        assert tuple(k.estimates[name].ci()) == pytest.approx(tuple(e.ci()), rel=1e-9)


def test_values_without_spread_over_clusters_have_no_standard_error():
    frame = pd.DataFrame({"id": range(20), "pair": np.arange(20) // 2, "a": [0, 1] * 10, "b": [1, 1] + [0, 1] * 9})
    k = trueness.systems.compare(frame, systems=["a", "b"], cluster="pair")
    assert k.estimates["a"].se is None
    assert k.estimates["a"].noted("no-se-zero-variance") is not None


def test_the_smallest_detectable_difference_has_a_power_of_80_percent():
    k = trueness.systems.compare(FRAME, systems=["sa", "sb"], metric="score")
    d, row = k.difference, k.frame(details=True).iloc[0]
    law = stats.nct(d.df, row["detectable"] / d.se)
    assert law.sf(stats.t(d.df).ppf(0.975)) == pytest.approx(0.8, abs=0.01)


# -- laws ------------------------------------------------------------------------------------------

SETTINGS = [
    {"systems": ["a", "b", "c"]},
    {"systems": ["a", "b", "c"], "cluster": "passage"},
    {"systems": ["sa", "sb", "sc"], "metric": "score"},
    {"systems": ["sa", "sb", "sc"], "metric": "auc", "truth": "y", "cluster": "passage"},
    {"systems": ["a", "b", "c"], "metric": "error"},
]


@pytest.mark.parametrize("options", SETTINGS)
def test_swapping_systems_flips_signs_and_nothing_else(options):
    first = trueness.systems.compare(FRAME, **options)
    swapped = trueness.systems.compare(FRAME, **{**options, "systems": options["systems"][::-1]})
    assert first.ranks == swapped.ranks
    for pair, d in first.differences.items():
        other = swapped[pair[::-1]]
        assert other.value == pytest.approx(-d.value, abs=1e-15)
        assert other.se == pytest.approx(d.se, rel=1e-12)
        assert other.test.p_value == pytest.approx(first.tests[pair].p_value, rel=1e-9)
        low, high = swapped.interval(pair[::-1])
        assert (-high, -low) == pytest.approx(tuple(first.interval(pair)), abs=0.015 * d.se)
        assert swapped[pair].value == pytest.approx(d.value)


@pytest.mark.parametrize("options", SETTINGS)
def test_the_order_of_rows_does_not_matter(options):
    shuffled = FRAME.sample(frac=1, random_state=3).reset_index(drop=True)
    first, second = (trueness.systems.compare(f, **options).frame() for f in (FRAME, shuffled))
    pd.testing.assert_frame_equal(first, second, rtol=1e-9)


@pytest.mark.parametrize("options", SETTINGS[1:4])
def test_duplicated_runs_change_nothing(options):
    once = trueness.systems.compare(FRAME, **options)
    twice = trueness.systems.compare(pd.concat([FRAME, FRAME.assign(seed=1)]), run="seed", **options)
    for pair, d in once.differences.items():
        assert twice.differences[pair].value == pytest.approx(d.value)
        assert twice.differences[pair].se == pytest.approx(d.se, rel=1e-12)
        assert twice.adjusted[pair] == pytest.approx(once.adjusted[pair], rel=1e-6)


def test_runs_are_averaged_within_items_first():
    many = table(runs=4)
    k = trueness.systems.compare(many, systems=["a", "b"], run="seed")
    means = many.groupby("id")[["a", "b"]].mean()
    t = stats.ttest_rel(means["a"], means["b"])
    assert k.p_value == pytest.approx(t.pvalue, rel=1e-10)
    assert k.difference.value == pytest.approx((means["a"] - means["b"]).mean())
    assert k.provenance["runs"] == 4
    pooled = stats.sem(many["a"] - many["b"])  # as if runs were items: too small
    assert k.difference.se > 1.1 * pooled


def test_unequal_runs_count_every_item_equally_and_are_noted():
    many = table(runs=2).iloc[:-5]
    k = trueness.systems.compare(many, systems=["sa", "sb"], run="seed", metric="score")
    means = many.groupby("id")[["sa", "sb"]].mean()
    assert k.difference.value == pytest.approx((means["sa"] - means["sb"]).mean())
    assert [n.data for n in k.notes if n.code == "unequal-runs"] == [{"fewest": 1, "most": 2}]


@pytest.mark.parametrize("options", SETTINGS[:4])
def test_a_long_table_has_the_numbers_of_the_wide_one(options):
    keys = ["id", "passage", "y"]
    long = FRAME.melt(keys, options["systems"], var_name="model", value_name="v")
    rest = {name: value for name, value in options.items() if name != "systems"}
    first = trueness.systems.compare(FRAME, **options).frame()
    pd.testing.assert_frame_equal(first, trueness.systems.compare(long, systems="model", score="v", **rest).frame())


def test_labels_that_are_never_true_count_as_wrong():
    frame = pd.DataFrame(
        {"id": range(4), "y": ["A", "B", "A", "B"], "m": ["A", "B", "A", "A"], "w": ["E", "B", "A", "B"]}
    )
    k = trueness.systems.compare(frame, systems=["m", "w"], truth="y")
    assert {name: e.value for name, e in k.estimates.items()} == {"m": 0.75, "w": 0.75}


# -- several systems -------------------------------------------------------------------------------


def test_intervals_ranks_and_p_values_of_several_systems_agree():
    frame = table(n=400, systems="abcde")
    k = trueness.systems.compare(frame, systems=list("abcde"), cluster="passage")
    better = {name: 0 for name in "abcde"}
    worse = dict(better)
    for pair in k.differences:
        low, high = k.interval(pair)
        assert (low > 0 or high < 0) == (k.adjusted[pair] < 0.05)
        assert k.adjusted[pair] >= k.tests[pair].p_value
        if low > 0 or high < 0:
            best, worst = pair if low > 0 else pair[::-1]
            better[worst] += 1
            worse[best] += 1
    assert k.ranks == {name: (1 + better[name], 5 - worse[name]) for name in "abcde"}
    assert 0.95 < k.pair_level < 1 - 0.05 / 10 + 1e-9
    assert k.pair == tuple(k.ranking()[:2])


def test_the_verdict_of_several_systems_names_those_that_may_be_best():
    frame = table(n=2000, systems="abc")
    k = trueness.systems.compare(frame, systems=["a", "b", "c"])
    assert k.verdict.startswith("Of 3 systems, c comes first in accuracy; all others differ.")
    same = trueness.systems.compare(frame.assign(d=frame["c"]), systems=["a", "c", "d"])
    assert "comes first in accuracy; not shown to differ from it: d." in same.verdict
    assert same.outcome == "identical"


def test_the_verdict_and_the_column_ask_for_as_many_items_and_say_how_many():
    """One law: that of the test, which is the largest |t| of all pairs."""
    frame = table(n=400, systems="abc", step=0.08, seed=1)
    for options in ({"cluster": "passage"}, {"metric": "score", "systems": ["sa", "sb", "sc"]}, {"baseline": "a"}):
        k = trueness.systems.compare(frame, **{"systems": ["a", "b", "c"], **options})
        pair = next(p for p in k.differences if k.adjusted[p] > 0.05)
        said = re.search(r"about ([\d.]+) times as many (item|cluster)s", k[pair].verdict)
        times = (k.details[pair]["detectable"] / k.differences[pair].value) ** 2
        if not isinstance(k.differences[pair].interval, Tango) or "cluster" in options:  # McNemar's has other shares
            assert float(said[1]) == pytest.approx(times, rel=0.05)
        assert said[2] == ("cluster" if "cluster" in options else "item")


def test_with_few_clusters_no_number_of_clusters_is_given():
    k = trueness.systems.compare(FRAME.assign(g=FRAME["passage"] % 2), systems=["a", "b"], cluster="g")
    assert k.details["a", "b"]["detectable"] is None
    assert k.outcome == "open"
    assert k.verdict.endswith("not significant at level 0.05.")


def test_a_baseline_adjusts_for_its_own_pairs_only():
    frame = table(n=300, systems="abcd")
    every = trueness.systems.compare(frame, systems=list("abcd"))
    k = trueness.systems.compare(frame, systems=list("abcd"), baseline="b")
    assert k.ranking() == ["d", "c", "b", "a"]
    assert list(k.differences) == [("d", "b"), ("c", "b"), ("a", "b")]
    assert k.pair == (next(name for name in k.ranking() if name != "b"), "b")
    assert every.pair_level > k.pair_level > 0.95
    for pair, p in k.adjusted.items():
        assert k.tests[pair].p_value <= p <= every[pair].p_value
        assert k[pair].value == every[pair].value
    assert f"than b's by {k.difference.value:.3f}" in k.verdict
    assert k.page().tables[0].heads[-1] != "rank"  # most pairs were not compared
    assert every.page().tables[0].heads[-1] == "rank"
    with pytest.raises(InputError, match="Got 'e'. Names: a, b, c, d") as caught:
        trueness.systems.compare(frame, systems=list("abcd"), baseline="e")
    assert caught.value.param == "baseline"


def test_a_margin_says_whether_two_systems_are_equivalent():
    frame = table(n=900, systems="ab", step=0.01)
    two = trueness.systems.compare(frame, systems=["a", "b"], margin=0.15)
    assert two.outcome == "equivalent"
    low, high = two.differences["a", "b"].ci(0.90)  # two one-sided tests at level 0.05
    assert -0.15 < low < high < 0.15
    assert "the two are equivalent within the margin of 0.15" in two.verdict
    assert (json.loads(two.to_json())["margin"], json.loads(two.to_json())["baseline"]) == (0.15, None)
    with pytest.raises(InputError, match="margin must be a number"):
        trueness.systems.compare(frame, systems=["a", "b"], margin=-1)


def test_several_systems_are_shown_best_first_and_two_as_given():
    k = trueness.systems.compare(table(n=300, systems="abc", step=0.5), systems=["a", "b", "c"])
    assert k.ranking() == ["c", "b", "a"]
    assert [row[0] for row in k.page().tables[1].rows] == ["c − b", "c − a", "b − a"]
    assert not any(row[1].startswith("-") for row in k.page().tables[1].rows)
    shown = [" − ".join(pair) for pair in zip(k.frame()["first"], k.frame()["second"], strict=True)]
    assert shown == [row[0] for row in k.page().tables[1].rows]
    assert shown == list(dict(k.figure().panels[0].y_ticks).values())
    assert k["a", "c"].value < 0
    beside = trueness.systems.compare(table(n=300, systems="abc", step=0.5), systems=["a", "b", "c"], baseline="b")
    assert list(beside.differences) == [("c", "b"), ("a", "b")]
    two = trueness.systems.compare(FRAME, systems=["a", "c"])
    assert two.page().tables[1].rows[0][0] == "a − c"


def test_the_verdict_of_several_systems_reads_mcnemars_counts_from_either_side():
    """The leader comes first in the sentence, whatever the order of the columns; all right and all wrong have no se."""
    frame = pd.DataFrame({"id": range(8), "none": 0, "few": [1] + [0] * 7, "all": 1})
    k = trueness.systems.compare(frame, systems=["none", "few", "all"])
    assert "all's accuracy is higher than few's by 0.88" in k.verdict
    two = trueness.systems.compare(frame, systems=["none", "all"])
    d = two["all", "none"]
    assert (d.interval.first, d.interval.second) == (8, 0)
    assert tuple(d.ci()) == pytest.approx(tuple(-x for x in two.difference.ci()[::-1]))


def test_with_five_items_no_difference_is_detectable_and_a_note_says_so():
    frame = pd.DataFrame({"id": range(5), "a": 1, "b": [0, 0, 0, 1, 1]})
    k = trueness.systems.compare(frame, systems=["a", "b"])
    assert k.details["a", "b"]["detectable"] is None
    assert [n.code for n in k.notes] == ["too-few-items"]
    frame = pd.DataFrame({"id": range(50), "a": 1, "b": [0] * 3 + [1] * 47})
    k = trueness.systems.compare(frame, systems=["a", "b"])
    found = k.details["a", "b"]["detectable"]
    assert comparisons.power_for_error_difference(50, found, 1e-9, discordant=found) == pytest.approx(0.8, abs=1e-3)


# -- nothing to see --------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"cluster": "passage"}, {"metric": "score"}])
def test_equal_systems_have_p_1(options):
    k = trueness.systems.compare(FRAME.assign(z=FRAME["a"]), systems=["a", "z"], **options)
    assert k.p_value == 1
    assert k.outcome == "identical"
    assert k.difference.value == 0
    k = trueness.systems.compare(FRAME.assign(z=1, w=1), systems=["z", "w"], **options)
    assert k.p_value == 1


def test_a_constant_difference_has_no_test():
    k = trueness.systems.compare(FRAME.assign(z=FRAME["sa"] + 1), systems=["sa", "z"], metric="score")
    assert k.p_value is None
    assert k.outcome == "no-test"
    assert k.difference.noted("no-se-zero-variance") is not None
    assert math.isnan(k.frame()["low"].astype(float).iloc[0])


def test_all_right_against_all_wrong_has_a_p_value_above_0_and_an_interval_with_length():
    k = trueness.systems.compare(FRAME.assign(z=1, w=0), systems=["z", "w"])
    assert k.p_value == pytest.approx(0.5 ** len(FRAME), rel=1e-9)
    low, high = k.interval(("z", "w"))
    assert 0.85 < low < high <= 1
    assert k.outcome == "better"


def test_few_clusters_are_a_warning():
    k = trueness.systems.compare(FRAME.assign(g=FRAME["passage"] % 4), systems=["a", "b"], cluster="g")
    assert [(n.code, n.severity) for n in k.notes] == [("very-few-groups", "warning")]


# -- results ---------------------------------------------------------------------------------------


def test_the_result_shows_itself_in_every_form():
    k = trueness.systems.compare(FRAME, systems=["a", "b", "c"], cluster="passage")
    assert k.frame().shape[0] == 3
    assert list(k.frame("systems")["system"]) == k.ranking()
    assert json.loads(k.to_json())["provenance"]["clusters"] == FRAME["passage"].nunique()
    assert "design effect" in str(k)
    assert "<table>" in k._repr_html_()
    assert k.verdict in str(k)
    with pytest.raises(InputError) as caught:
        k.frame("models")
    assert caught.value.param == "of"
    with pytest.raises(InputError):
        k["a", "z"]


def test_the_plot_shows_the_simultaneous_intervals():
    k = trueness.systems.compare(FRAME, systems=["a", "b", "c"])
    (intervals,) = (mark for mark in k.figure().panels[0].marks if hasattr(mark, "low"))
    drawn = list(zip(intervals.low, intervals.high, strict=True))
    assert drawn == [pytest.approx(tuple(k.interval(pair))) for pair in k.differences]


def test_a_needless_positive_is_refused():
    with pytest.raises(InputError) as caught:
        trueness.systems.compare(FRAME, systems=["a", "b"], positive=1)
    assert caught.value.param == "positive"


def test_a_margin_in_percentage_points_is_refused():
    items = pd.DataFrame({"id": range(8), "a": [1, 1, 0, 1, 1, 1, 0, 1], "b": [1, 0, 0, 1, 0, 1, 0, 1]})
    with pytest.raises(InputError, match="margin must be a number between 0 and 1. Got 2"):
        trueness.systems.compare(items, systems=["a", "b"], margin=2)
    k = trueness.systems.compare(items.assign(a=items["a"] * 9.0), systems=["a", "b"], metric="score", margin=2)
    assert k.margin == 2
    d = trueness.systems.compare(items, systems=["a", "b"]).difference
    for test in (trueness.comparisons.equivalence, trueness.comparisons.non_inferiority):
        with pytest.raises(InputError, match="margin must be a number between 0 and 1"):
            test(d, 5)


def test_the_metric_has_the_names_of_others_and_a_misspelt_one_is_answered():
    items = pd.DataFrame({"id": range(8), "a": [1, 1, 0, 1, 1, 1, 0, 1], "b": [1, 0, 0, 1, 0, 1, 0, 1]})
    expected = trueness.systems.compare(items, systems=["a", "b"]).to_json()
    for name in ("pass@1", "acc", "exact_match", "Accuracy"):
        assert trueness.systems.compare(items, systems=["a", "b"], metric=name).to_json() == expected
    with pytest.raises(InputError, match="Got 'acuracy'"):
        trueness.systems.compare(items, systems=["a", "b"], metric="acuracy")


def test_forty_systems_take_seconds():
    """Of the process, not of the clock: the laws of McNemar's test are computed once per count."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame((rng.random((500, 40)) < 0.6).astype(int)).add_prefix("s").assign(id=range(500))
    begun = time.process_time()
    k = trueness.systems.compare(table, systems=[f"s{j}" for j in range(40)])
    assert time.process_time() - begun < 5
    assert len(k.adjusted) == 780

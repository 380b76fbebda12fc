"""Counts of labels at each score: the same numbers as curves in memory, to the last bit however cases are divided."""

import gzip
import itertools
import json
import pickle
from datetime import date
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import trueness
from trueness.curves import ScoreCounts
from trueness.errors import InputError
from trueness.files import score_file
from trueness.files.table_file import read_table
from trueness.formulas.auc import CountedAuc, _squares

HERE = Path(__file__).parents[1] / "reference"
PROC = json.loads((HERE / "roc.json").read_text())
AREAS = {"auc": "pr_auc", "average_precision": "average_precision", "auc_interpolated": "pr_auc_interpolated"}


def drawn(n, seed=0, digits=2):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return y, np.round(rng.normal(size=n) + y, digits)


def numbers(c):
    """What must not depend on the order of the cases."""
    areas = (c.auc, c.pr_auc, c.average_precision, c.pr_auc_interpolated)
    return [(e.value, e.se, *e.ci()) for e in areas], c.table(0.5), repr(c.frame().to_numpy().tolist())


@pytest.fixture
def small_blocks(monkeypatch):
    """Many chunks, blocks and runs of a small file."""
    monkeypatch.setattr(score_file, "CHUNK_ROWS", 64)
    monkeypatch.setattr(score_file, "MERGED_ROWS", 100)
    monkeypatch.setattr("trueness.sample.rows.SPILL_BYTES", 0)


# -- theory ------------------------------------------------------------------------------------------------------------


def exact_delong(y, s):
    """DeLong et al. (1988) from all pairs, in fractions."""
    up, down = (
        [x for x, label in zip(s, y, strict=True) if label],
        [x for x, label in zip(s, y, strict=True) if not label],
    )
    psi = [[Fraction(2 * (a > b) + (a == b), 2) for b in down] for a in up]
    m, n = len(up), len(down)
    v10, v01 = [sum(row) / n for row in psi], [sum(column) / m for column in zip(*psi, strict=True)]
    area = sum(v10) / m
    s10, s01 = (sum((v - area) ** 2 for v in part) / (len(part) - 1) for part in (v10, v01))
    return area, s10 / m, s01 / n


def test_area_and_variance_are_the_exact_fractions_rounded_once():
    for y in itertools.product([0, 1], repeat=7):
        if 2 <= sum(y) <= 5:
            s = [3, 1, 2, 2, 1, 0, 2]
            area, of_ups, of_downs = exact_delong(y, s)
            c = ScoreCounts.of(y, s)
            assert c._counted.value == float(area)
            assert c._counted.parts == (float(of_downs), float(of_ups))


def test_sums_of_squares_do_not_overflow():
    counts, values = np.array([2**34, 7, 1]), np.array([2**35, 2**35 - 1, 3])
    assert _squares(counts, values) == sum(int(c) * int(v) ** 2 for c, v in zip(counts, values, strict=True))


def test_a_thousand_million_cases_in_two_scores():
    n = 10**9
    a = CountedAuc.of([(np.array([3 * n, n]), np.array([n, 3 * n]))])
    assert a.value == 0.75
    assert sum(a.parts) == pytest.approx(2 * 0.75 * 0.25 / 4 / (4 * n), rel=1e-6)


# -- another program ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "label", "scores"), [("roc_ratings", "abnormal", ("rating", "second")), ("roc_rounded", "y", ("a", "b"))]
)
def test_files_have_the_areas_and_variances_of_proc(name, label, scores):
    folder = HERE if name == "roc_ratings" else files("trueness.studies") / "data"
    areas = [ScoreCounts.read(folder / f"{name}.csv", label, score).auc for score in scores]
    assert [e.value for e in areas] == pytest.approx(PROC[name]["auc"], abs=1e-12)
    assert [e.se**2 for e in areas] == pytest.approx(PROC[name]["variance"], abs=1e-12)


# -- curves in memory --------------------------------------------------------------------------------------------------

EDGES = {
    "ties": drawn(300, digits=1),
    "no ties": drawn(300, digits=15),
    "inverted": (drawn(300)[0], -drawn(300)[1]),
    "infinite": ([0, 0, 1, 1, 0, 1], [-np.inf, 0, np.inf, 0.0, -0.0, np.inf]),
    "constant": ([0, 1, 0, 1], [1, 1, 1, 1]),
    "perfect": ([0, 0, 1, 1], [1, 2, 3, 4]),
    "reversed": ([1, 1, 0, 0], [1, 2, 3, 4]),
    "one positive": ([0, 0, 1, 0], [1, 2, 3, 4]),
    "equal ranks": ([0] * 30 + [1] * 2, [0] * 20 + [1] * 10 + [1, 1]),
    "few overlap": ([0] * 60 + [1] * 60, [*range(60), 55, *range(61, 120)]),
    "few overlap, inverted": ([1] * 60 + [0] * 60, [*range(60), 55, *range(61, 120)]),
    "few cases": drawn(25, 3),
}


@pytest.mark.parametrize("edge", EDGES)
def test_auc_and_its_interval_are_those_of_the_curve(edge):
    y, s = EDGES[edge]
    ours, curve = ScoreCounts.of(y, s).auc, trueness.roc(y, s).auc
    assert ours.value == curve.value
    assert (ours.se or 0) == pytest.approx(curve.se or 0, rel=1e-12, abs=1e-14)
    assert [n.code for n in ours.notes] == [n.code for n in curve.notes]
    assert (ours.method, ours.estimand, ours.se_method, ours.cases) == (
        curve.method,
        curve.estimand,
        curve.se_method,
        curve.cases,
    )
    assert (ours.df or 0) == pytest.approx(curve.df or 0, rel=1e-9)
    assert ours.has_interval == curve.has_interval
    if curve.has_interval:
        assert tuple(ours.ci()) == pytest.approx(tuple(curve.ci()), abs=1e-12)
        assert ours.ci().method == curve.ci().method


@pytest.mark.parametrize("edge", EDGES)
def test_pr_areas_tables_and_points_are_those_of_the_curves(edge):
    y, s = EDGES[edge]
    c, p, curve = ScoreCounts.of(y, s), trueness.pr(y, s), trueness.roc(y, s)
    for theirs, ours in AREAS.items():
        a, b = getattr(c, ours), getattr(p, theirs)
        assert (a.value, a.se) == pytest.approx((b.value, b.se), rel=1e-12)
        assert a.notes == b.notes
    points = c.frame(10**6)
    np.testing.assert_array_equal(points["threshold"], curve.thresholds)
    assert points["fpf"].tolist() == curve.fpf.tolist()
    assert points["tpf"].tolist() == curve.tpf.tolist()
    assert points["precision"].dropna().tolist() == p.precision.tolist()
    for threshold in (-np.inf, -1, 0.0, 1, 1.005, 3, np.inf):
        said = np.asarray(s) >= threshold
        d = trueness.diagnose(y, said.astype(int), classes=[0, 1])
        assert trueness.diagnose(**c.table(threshold)).frame().equals(d.frame())


def test_a_thinned_curve_keeps_its_ends_and_exact_points():
    y, s = drawn(5000, digits=15)
    c, curve = ScoreCounts.of(y, s), trueness.roc(y, s)
    thin, exact = c.frame(100), set(zip(curve.thresholds, curve.fpf, curve.tpf, strict=True))
    assert 90 <= len(thin) <= 101
    assert thin[["fpf", "tpf"]].iloc[[0, -1]].to_numpy().tolist() == [[0, 0], [1, 1]]
    assert set(thin[["threshold", "fpf", "tpf"]].itertuples(index=False, name=None)) <= exact
    assert np.diff(thin["fpf"] + thin["tpf"]).max() < 3 / 100


# -- laws --------------------------------------------------------------------------------------------------------------


def test_order_of_cases_division_and_order_of_merging_change_no_bit():
    y, s = drawn(1000)
    s[:3] = 0.0, -0.0, np.inf
    whole, rng = numbers(ScoreCounts.of(y, s)), np.random.default_rng(1)
    for parts in (2, 7, 100):
        order = rng.permutation(1000)
        pieces = [ScoreCounts.of(y[rows], s[rows]) for rows in np.array_split(order, parts)]
        assert numbers(ScoreCounts.merge(pieces)) == whole
        assert numbers(ScoreCounts.merge(pieces[::-1])) == whole
        nested = [ScoreCounts.merge(pieces[:2]), *pieces[2:]]
        assert numbers(ScoreCounts.merge(nested)) == whole


def test_parts_may_hold_one_label_each():
    y, s = drawn(200)
    y = np.where(y == 1, "sick", "well")
    parts = [ScoreCounts.of(y[y == label], s[y == label], positive="sick") for label in ("well", "sick")]
    assert numbers(ScoreCounts.merge(parts)) == numbers(ScoreCounts.of(y, s, positive="sick"))
    assert numbers(ScoreCounts.merge(parts[::-1])) == numbers(ScoreCounts.of(y, s, positive="sick"))


def test_monotone_scores_change_nothing_and_swapped_classes_turn_the_area():
    y, s = drawn(500)
    c = ScoreCounts.of(y, s)
    assert ScoreCounts.of(y, np.exp(s)).auc.to_dict() == c.auc.to_dict()
    turned = ScoreCounts.of(1 - y, s).auc
    assert turned.value == pytest.approx(1 - c.auc.value, abs=1e-15)
    assert turned.se == c.auc.se


def test_a_merge_of_partial_results_on_dask_is_exact():
    distributed = pytest.importorskip("distributed")
    y, s = drawn(2000)
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        parts = client.map(ScoreCounts.of, np.array_split(y, 9), np.array_split(s, 9))
        merged = client.submit(ScoreCounts.merge, parts).result()
    assert numbers(merged) == numbers(ScoreCounts.of(y, s))


def test_counts_in_a_file_travel(small_blocks, tmp_path):
    y, s = drawn(500)
    pd.DataFrame({"y": y, "s": s}).to_csv(tmp_path / "a.csv", index=False)
    c = ScoreCounts.read(tmp_path / "a.csv", "y", "s")
    assert isinstance(c.counts, score_file.FileRows)
    assert numbers(pickle.loads(pickle.dumps(c))) == numbers(c)


# -- files -------------------------------------------------------------------------------------------------------------

DTYPES = {
    "integers": lambda y: y.astype(np.int8),
    "floats": lambda y: y.astype(float),
    "signs": lambda y: 2 * y - 1,
    "booleans": lambda y: y == 1,
    "texts": lambda y: np.where(y == 1, "sick", "well"),
    "categories": lambda y: pd.Categorical(np.where(y == 1, "sick", "well")),
}


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".tsv"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_files_give_the_bits_of_arrays(small_blocks, tmp_path, suffix, dtype):
    y, s = drawn(500)
    table = pd.DataFrame({"id": range(500), "label": DTYPES[dtype](y), "score": s})
    path = tmp_path / f"scores{suffix}"
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(path, row_group_size=77)
    else:
        table.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
    positive = "sick" if dtype in ("texts", "categories") else None
    c = ScoreCounts.read(path, "label", "score", positive)
    assert numbers(c) == numbers(ScoreCounts.of(y, s))
    assert (c.n, c.n1, c.n0, c.n_scores) == (500, y.sum(), 500 - y.sum(), len(np.unique(s)))
    assert c.classes == trueness.roc(table["label"], s, positive=positive).data.classes


def test_texts_of_neighbouring_doubles_stay_different_scores(tmp_path):
    rng = np.random.default_rng(0)
    low = rng.random(2000)
    y, s = np.arange(4000) % 2, np.concatenate([low, np.nextafter(low, 1)])
    pd.DataFrame({"y": y, "s": s}).to_csv(tmp_path / "a.csv", index=False)
    assert numbers(ScoreCounts.read(tmp_path / "a.csv", "y", "s")) == numbers(ScoreCounts.of(y, s))
    assert np.array_equal(read_table(str(tmp_path / "a.csv"))["s"], s)


@pytest.mark.parametrize("path", [None, 5, b"a.csv", ["a.csv", None], "a\0b", "a" * 300], ids=repr)
def test_what_is_no_path(path):
    with pytest.raises(InputError) as caught:
        ScoreCounts.read(path, "y", "s")
    assert caught.value.param == "path"


@pytest.mark.parametrize("labels", [(Decimal(0), Decimal(1)), (date(2024, 1, 1), date(2024, 1, 2))], ids=repr)
def test_labels_of_other_types_than_numpy_has(labels):
    y, s = drawn(50)
    named = [labels[code] for code in y]
    whole = numbers(ScoreCounts.of(y, s))
    assert numbers(ScoreCounts.of(named, s, positive=labels[1])) == whole
    curve = trueness.roc(named, s, positive=labels[1])
    assert (curve.data.classes, curve.auc.value) == (labels, trueness.roc(y, s).auc.value)


def test_several_files_and_a_folder_give_the_bits_of_one(tmp_path):
    y, s = drawn(500)
    table = pd.DataFrame({"y": y, "s": s})
    for k, part in enumerate(np.array_split(np.arange(500), 3)):
        table.iloc[part].to_csv(tmp_path / f"part{k}.csv", index=False)
    of_files = ScoreCounts.read(sorted(tmp_path.glob("*.csv"), reverse=True), "y", "s")
    assert numbers(of_files) == numbers(ScoreCounts.read(tmp_path, "y", "s")) == numbers(ScoreCounts.of(y, s))


def test_a_label_that_looks_like_a_number_in_one_chunk_stays_one_label(small_blocks, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y,s\n" + "0,1\n" * 100 + "0.0,2\n" * 100 + "1.0,3\n" * 100 + "1,0\n")
    assert ScoreCounts.read(path, "y", "s").classes == (0, 1)


@pytest.mark.parametrize(
    ("row", "param"), [("1,", "score"), ("1,NaN", "score"), ("1,high", "score"), (",3", "label"), ("NA,3", "label")]
)
def test_a_bad_row_is_refused_with_its_number(small_blocks, tmp_path, row, param):
    path = tmp_path / "a.csv"
    path.write_text("y,s\n" + "0,1\n1,2\n" * 100 + f"{row}\n" + "0,1\n" * 10)
    with pytest.raises(InputError, match="row 200 ") as caught:
        ScoreCounts.read(path, "y", "s")
    assert caught.value.param == param


@pytest.mark.parametrize("row", [0, 3, 150])
def test_a_row_longer_than_the_header_is_refused_with_its_line(small_blocks, tmp_path, row):
    lines = [f"{k},{k % 2},{k / 7}" for k in range(200)]
    lines[row] += ",7,8"
    (tmp_path / "s.csv").write_text("\n".join(["id,y,s", *lines]))
    with pytest.raises(InputError) as caught:
        ScoreCounts.read(tmp_path / "s.csv", "y", "s")
    assert f"line {row + 2}" in caught.value.got or row == 0
    lines[row] = lines[row].removesuffix(",7,8")
    (tmp_path / "s.csv").write_text("\n".join(["id,y,s", *lines]))
    assert ScoreCounts.read(tmp_path / "s.csv", "y", "s").n == 200


def test_missing_values_of_parquet_are_refused_with_their_row(small_blocks, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for y, s, param in (
        ([0, 1] * 60 + [None], [1.0, 2.0] * 60 + [1.0], "label"),
        ([0, 1] * 60 + [1], [1, 2] * 60 + [None], "score"),
        (["a", "b"] * 60 + [None], [1.0, 2.0] * 60 + [1.0], "label"),
        ([0, 1] * 60 + [1], [1.0, 2.0] * 60 + [np.nan], "score"),
    ):
        pq.write_table(pa.table({"y": y, "s": s}), tmp_path / "a.parquet")
        with pytest.raises(InputError, match="row 120 ") as caught:
            ScoreCounts.read(tmp_path / "a.parquet", "y", "s", positive="a" if y[0] == "a" else None)
        assert caught.value.param == param


def test_bad_files(tmp_path):
    path = tmp_path / "a.csv"

    def refused(text, label="y", score="s", positive=None):
        path.write_text(text)
        with pytest.raises(InputError) as caught:
            ScoreCounts.read(path, label, score, positive).auc
        return caught.value

    assert refused("y,s\n0,1\n1,2\n2,3\n").param == "label"
    assert refused("y,s\n0,1\nyes,2\n").param == "label"
    assert refused("y,s\n0.5,1\n1,2\n").param == "label"
    assert refused("y,s\n0,1\n0,2\n").param == "y"
    assert refused("y,s\na,1\nb,2\n").param == "positive"
    assert refused("y,s\na,1\nb,2\n", positive="c").param == "positive"
    assert refused("y,s\n0,1\n1,2\n", score="t").param == "score"
    assert refused("y,s\n0,1\n1,2\n", label="t").param == "label"
    assert refused("y,s\n0,1\n1,2\n", score="y").param == "score"
    refused("y,s\n")
    refused("")
    refused('y,s\n"0,1\n1,2\n')
    path.write_bytes(b"y,s\n\x00\x01,1\n")
    (tmp_path / "b.parquet").write_bytes(b"not Parquet")
    (tmp_path / "empty").mkdir()
    for wrong in (path, tmp_path / "b.parquet", tmp_path / "empty", tmp_path / "nowhere.csv", []):
        with pytest.raises(InputError):
            ScoreCounts.read(wrong, "y", "s")


WRITTEN = {  # each with 0.75 as AUC, but the first column
    "quoted commas": 'id,y,s\n"a,b",0,1\n"c,""d",1,2\n"e\n,f",1,1.0\n',
    "a comma in a name": '"i,d";y;s\n"a,b";0;1\nc;1;2\nc;1;1\n',
    "decimal commas": "y;s\n0;1,5\n1;2,5\n1;1,5\n",
    "commas between thousands": 'y,s\n0,"1,500"\n1,"2,500"\n1,"1,500"\n',
    "blanks after commas": "y, s\n0, 1\n1, 2\n1, 1\n",
    "bars": "y|s\n0|1\n1|2\n1|1\n",
    "blanks": "y s\n0 1\n1 2\n1 1\n",
    "row names of R": '"s","y","t"\n"1",1,0,7\n"2",2,1,8\n"3",1,1,9\n',
    "nameless columns": ",y,s,\n1,0,1,5\n2,1,2,5\n3,1,1,5\n",
    "an empty line first": "\n\ny,s\n0,1\n1,2\n1,1\n",
    "Windows-1252": "n,y,s\nMüller,0,1\nMeier,1,2\nMoser,1,1\n".encode("cp1252"),
    "UTF-16": "y,s\n0,1\n1,2\n1,1\n".encode("utf-16"),
    "gzip": gzip.compress(b"y,s\n0,1\n1,2\n1,1\n"),
    "texts that Python takes for numbers": "y,s\nno,1\ninfinity,2\ninfinity,1\n",
    "labels beyond 2^53": "y,s\n9007199254740992,1\n9007199254740993,2\n9007199254740993,1\n",
}


@pytest.mark.parametrize("how", WRITTEN)
def test_a_file_is_read_as_a_small_one_is(tmp_path, how):
    content, path = WRITTEN[how], tmp_path / ("a.csv.gz" if how == "gzip" else "a.csv")
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    table = read_table(str(path))
    positive = table["y"][1]
    c = ScoreCounts.read(path, "y", "s", positive)
    assert c.auc.value == trueness.roc(table["y"], table["s"], positive=positive).auc.value == 0.75
    assert [repr(label) for label in c.classes] == [repr(label) for label in table["y"].tolist()[:2]]


def test_parts_of_a_folder(tmp_path):
    (tmp_path / "1.csv").write_text("y,s\n0,1\n")
    (tmp_path / "2.csv.gz").write_bytes(gzip.compress(b"y,s\n1,2\n"))
    (tmp_path / "3.csv").write_text("y,s\n")  # no cases
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "._1.csv").write_bytes(b"\x00\x05")
    assert ScoreCounts.read(tmp_path, "y", "s").n == 2
    (tmp_path / "4.csv").write_text("")
    with pytest.raises(InputError, match=r"4\.csv"):
        ScoreCounts.read(tmp_path, "y", "s")
    (tmp_path / "4.csv").unlink()
    (tmp_path / "y=1").mkdir()
    with pytest.raises(InputError, match="y=1"):
        ScoreCounts.read(tmp_path, "y", "s")


def test_thresholds_of_any_type_of_number():
    c = ScoreCounts.of([0, 1, 1, 0], [1, 2, 3, -128])
    assert c.table(np.uint8(2)) == c.table(np.float32(2)) == c.table(2) == {"tp": 2, "fn": 0, "fp": 0, "tn": 2}
    assert c.table(np.int8(-128)) == {"tp": 2, "fn": 0, "fp": 2, "tn": 0}


def test_a_part_of_one_label_says_so():
    assert "2 cases" in repr(ScoreCounts.of([1, 1], [1, 2]))


def test_bad_calls():
    c = ScoreCounts.of([0, 1], [1, 2])
    for call in (
        lambda: ScoreCounts.merge([]),
        lambda: ScoreCounts.merge([c, ScoreCounts.of([2], [1])]),
        lambda: ScoreCounts.merge([c, ScoreCounts.of(["a"], [1])]),
        lambda: ScoreCounts.merge([ScoreCounts.of([0], [1], positive=p) for p in (0, 1)]),
        lambda: ScoreCounts.of([0, 1, 2], [1, 2, 3]),
        lambda: ScoreCounts.of([0, 1], [1, np.nan]),
        lambda: ScoreCounts.of([0, 0], [1, 2]).auc,
        lambda: c.table(np.nan),
        lambda: c.table("high"),
        lambda: c.table(np.complex128(1)),
        lambda: c.table(True),
        lambda: ScoreCounts.merge(c),
        lambda: ScoreCounts.merge([1, 2]),
        lambda: ScoreCounts.of([0, 1], [1, 10**400]),
        lambda: c.frame(1),
    ):
        with pytest.raises(InputError):
            call()


def test_showing():
    y, s = drawn(300)
    c = ScoreCounts.of(y, s)
    assert f"{y.sum()} of class 1 (positive)" in str(c)
    assert "average precision" in str(c)
    kept = json.loads(c.to_json())
    assert kept["areas"][0]["value"]["value"] == c.auc.value
    assert "<" in c.report()

"""The store of a run: it goes on to the same bits, refits nothing that is finished, and refuses other runs."""

import io
import multiprocessing
import os
import pickle
import resource
import signal
import sqlite3
import time
from contextlib import closing, suppress

import numpy as np
import pandas as pd
import pytest
from deadly import Forgetful, Tree
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import trueness
from trueness.checks import FIT, child
from trueness.errors import InputError
from trueness.fitting import store
from trueness.fitting.described import described
from trueness.fitting.store import checksum, contents, first_difference, stored_seed
from trueness.fitting.workers import gaps

PLAN = trueness.Bootstrap(40)


def fits_of(data, store, plan=PLAN, model=None, rng=3, **options):
    X, y = data
    options = {"scores": "predict_proba", "batch_size": 4} | options
    return trueness.fit(model or Tree(), X, y, plan.draw(y, rng=rng), store=store, engine="generic", **options)


def same(a, b):
    scores = a.scores is b.scores is None or np.array_equal(a.scores, b.scores, equal_nan=True)
    pairs = zip(a.parts or [a], b.parts or [b], strict=True)
    answers = all(np.array_equal(c.held_predictions[:], d.held_predictions[:]) for c, d in pairs)
    return scores and answers and a.failed == b.failed and a.notes == b.notes


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def test_a_finished_run_is_read_and_not_fitted_again(tmp_path, two_gaussians):
    log = tmp_path / "log"
    model = Tree(log=str(log))
    first = fits_of(two_gaussians, tmp_path / "r.db", model=model)
    assert len(lines(log)) == 41  # one on all cases
    again = fits_of(two_gaussians, tmp_path / "r.db", model=model, n_jobs=2)
    assert len(lines(log)) == 42
    assert same(first, again)
    assert same(first, fits_of(two_gaussians, None, model=model))


def test_more_replicates_fit_only_the_new_ones_and_fewer_none(tmp_path, two_gaussians):
    log = tmp_path / "log"
    model = Tree(log=str(log))
    fits_of(two_gaussians, tmp_path / "r.db", model=model)
    more = fits_of(two_gaussians, tmp_path / "r.db", trueness.Bootstrap(50), model)
    assert len(lines(log)) == 41 + 11
    assert same(more, fits_of(two_gaussians, None, trueness.Bootstrap(50), model))
    before = len(lines(log))
    fewer = fits_of(two_gaussians, tmp_path / "r.db", trueness.Bootstrap(7), model)
    assert len(lines(log)) == before + 1
    assert same(fewer, fits_of(two_gaussians, None, trueness.Bootstrap(7), model))


@pytest.mark.parametrize(
    "plan",
    [trueness.KFold(4, repeats=3), trueness.CvBootstrap(4, repeats=2, n_resamples=9), trueness.Holdout(0.3)],
    ids=repr,
)
def test_other_plans(tmp_path, two_gaussians, plan):
    log = tmp_path / "log"
    model = Tree(log=str(log))
    first = fits_of(two_gaussians, tmp_path / "r.db", plan, model)
    before = len(lines(log))
    again = fits_of(two_gaussians, tmp_path / "r.db", plan, model)
    assert len(lines(log)) - before == 1  # the fit on all cases
    assert same(first, again)


class Moody(Tree):
    """Fails on some training sets, and warns on others."""

    def fit(self, X, y):
        if self.random_state % 11 == 0:
            raise ValueError("no")
        if self.random_state % 3 == 0:
            import warnings

            warnings.warn("hm", UserWarning, stacklevel=2)
        return super().fit(X, y)


def test_failures_and_warnings_are_kept(tmp_path, two_gaussians):
    plan = trueness.Bootstrap(100)
    first = fits_of(two_gaussians, tmp_path / "r.db", plan, Moody())
    assert first.failed
    assert any(note.code == "fit-warnings" for note in first.notes)
    assert same(first, fits_of(two_gaussians, tmp_path / "r.db", plan, Moody()))
    (row,) = contents(tmp_path / "r.db").tables[0].rows
    assert row[3:5] == ("100 of 100", str(len(first.failed)))


def test_several_classes_texts_of_labels_and_models_without_scores(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 12)
    X = pd.DataFrame({"u": rng.normal(size=36), "v": rng.choice(["x", "y"], 36)})
    X["v"] = (X["v"] == "x").astype("category").cat.codes
    one = fits_of((X, y), tmp_path / "r.db")
    assert same(one, fits_of((X, y), tmp_path / "r.db"))
    svm = {"scores": "auto", "model": LinearSVC()}
    assert same(fits_of((X, y), tmp_path / "r.db", **svm), fits_of((X, y), tmp_path / "r.db", **svm))
    assert len(contents(tmp_path / "r.db").tables[0].rows) == 2


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, sparse.csr_array], ids=lambda f: f.__name__)
def test_other_data_are_refused(tmp_path, two_gaussians, form):
    X, y = two_gaussians
    fits_of((form(X), y), tmp_path / "r.db")
    fits_of((form(X.copy()), y), tmp_path / "r.db")
    changed = X.copy()
    changed[7, 1] += 1e-9
    with pytest.raises(InputError, match="other data") as caught:
        fits_of((form(changed), y), tmp_path / "r.db")
    assert caught.value.param == "store"
    assert "features" in caught.value.got


@pytest.mark.parametrize(
    "other",
    [
        {"rng": 4},
        {"plan": trueness.KFold(4)},
        {"plan": trueness.Bootstrap(40, stratified=False)},
    ],
)
def test_another_plan_or_seed_is_refused(tmp_path, two_gaussians, other):
    fits_of(two_gaussians, tmp_path / "r.db")
    with pytest.raises(InputError, match="another plan") as caught:
        fits_of(two_gaussians, tmp_path / "r.db", **other)
    assert caught.value.param == "store"


def test_a_refusal_names_what_differs_as_the_user_gave_it(tmp_path, two_gaussians):
    fits_of(two_gaussians, tmp_path / "r.db", rng=3)
    with pytest.raises(InputError, match="Got seed 3 in the store, 4 asked for"):
        fits_of(two_gaussians, tmp_path / "r.db", rng=4)
    recipe = {"plan": "cv", "versions": {"numpy": "2.0", "scipy": "1.17"}}
    newer = {"plan": "cv", "versions": {"numpy": "2.4", "scipy": "1.17"}}
    assert first_difference(recipe, newer) == "numpy 2.0 in the store, 2.4 asked for"
    assert first_difference({}, {"seed": [[1, 2], [0]]}) == "seed None in the store, [[1, 2], [0]] asked for"
    assert "seed: 3\n" in contents(tmp_path / "r.db").footer


def test_other_models_and_scores_are_runs_of_their_own(tmp_path, two_gaussians):
    a = fits_of(two_gaussians, tmp_path / "r.db")
    b = fits_of(two_gaussians, tmp_path / "r.db", model=Tree(random_state=5))
    assert not same(a, b)
    assert same(b, fits_of(two_gaussians, None, model=Tree(random_state=5)))
    assert [row[0] for row in contents(tmp_path / "r.db").tables[0].rows] == ["1", "2"]


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")  # of some seeds
def test_without_a_seed_the_run_has_that_of_the_store(tmp_path, two_gaussians):
    X, y = two_gaussians
    options = {"plan": trueness.Bootstrap(20), "metrics": "error", "store": tmp_path / "r.db", "engine": "generic"}
    assert stored_seed(tmp_path / "r.db") is None
    first, again = (trueness.assess(Tree(), X, y, **options) for _ in range(2))
    assert first.provenance["seed"] == again.provenance["seed"] == stored_seed(tmp_path / "r.db").entropy
    assert first.frame().equals(again.frame())


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")  # of some seeds
def test_a_comparison_goes_on_from_its_store(tmp_path, two_gaussians):
    logs = tmp_path / "a", tmp_path / "b"
    models = {log.name: Tree(log=str(log)) for log in logs}
    options = {"plan": trueness.Bootstrap(20), "metric": "error", "store": tmp_path / "r.db"}
    first, again = (trueness.compare(models, *two_gaussians, **options) for _ in range(2))  # with the seed of the store
    assert first.frame().equals(again.frame())
    assert [len(lines(log)) for log in logs] == [22, 22]  # 20, and twice the one on all cases
    assert len(contents(tmp_path / "r.db").tables[0].rows) == 2


def test_closed_forms_are_not_stored(tmp_path, two_gaussians):
    X, y = two_gaussians
    trueness.fit(GaussianNB(), X, y, trueness.KFold(5), rng=0, store=tmp_path / "r.db")
    assert not contents(tmp_path / "r.db").tables[0].rows


def run_in_a_process(*arguments, **options):
    process = multiprocessing.get_context("fork").Process(target=fits_of, args=arguments, kwargs=options)
    process.start()
    return process


def stored(path):
    """The fits in a store."""
    try:
        with store.reading(path) as file:
            return {f for row in file.execute("select start, stop from blocks") for f in range(*row)}
    except InputError:  # killed before there was one
        return set()


def killed_and_resumed(folder, data, times, seed):
    """A run that is killed at random times and then ends; every fit that was in the store was fitted once."""
    rng = np.random.default_rng(seed)
    path, log = folder / f"{seed}.db", folder / f"{seed}.log"
    model = Tree(0.002, str(log))
    states = [int(child(np.random.SeedSequence(3), FIT, f).generate_state(1)[0]) % 2**31 for f in range(40)]
    for _ in range(times):
        process = run_in_a_process(data, path, model=model, n_jobs=1)
        while seed % 2 and process.is_alive() and not stored(path):  # on a busy machine as well
            time.sleep(0.002)
        time.sleep(float(rng.uniform(0.02, 0.25 if seed % 2 == 0 else 0.05)))
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        done, before = stored(path), len(lines(log))
    process = run_in_a_process(data, path, model=model)
    process.join()
    assert process.exitcode == 0
    fitted = {int(line.split()[0]) for line in lines(log)[before:]}
    assert not fitted & {states[f] for f in done}
    return fits_of(data, path, model=model), len(done)


@pytest.mark.parametrize("rounds", [5, pytest.param(100, marks=pytest.mark.slow)])
def test_random_kills_change_no_bit_and_finished_fits_are_not_repeated(tmp_path, two_gaussians, rounds):
    reference = fits_of(two_gaussians, None)
    known = []
    for seed in range(rounds):
        found, done = killed_and_resumed(tmp_path, two_gaussians, 1 + seed % 2, seed)
        assert np.array_equal(found.scores, reference.scores)
        known.append(done)
    assert any(0 < done < 40 for done in known)  # some were killed in the middle


def test_two_processes_on_one_store(tmp_path, two_gaussians):
    reference = fits_of(two_gaussians, None)
    for k in range(3):
        path = tmp_path / f"{k}.db"
        options = [{"batch_size": 3}, {"batch_size": 5}]
        both = [run_in_a_process(two_gaussians, path, model=Tree(0.002), **each) for each in options]
        for process in both:
            process.join()
        assert [process.exitcode for process in both] == [0, 0]
        assert stored(path) == set(range(40))
        assert np.array_equal(fits_of(two_gaussians, path, model=Tree(0.002)).scores, reference.scores)


def test_a_locked_store_is_an_error_of_its_own(tmp_path, two_gaussians, monkeypatch):
    path = tmp_path / "r.db"
    fits_of(two_gaussians, path, trueness.Bootstrap(5))
    monkeypatch.setattr(store, "WAIT", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin exclusive")
    with pytest.raises(InputError, match="locked") as caught:
        fits_of(two_gaussians, path)
    assert caught.value.param == "store"
    other.execute("rollback")
    other.close()
    assert same(fits_of(two_gaussians, path), fits_of(two_gaussians, None))


def test_a_finished_store_that_cannot_be_written_is_read(tmp_path, two_gaussians, monkeypatch):
    path, connect = tmp_path / "r.db", sqlite3.connect
    first = fits_of(two_gaussians, path)

    def connected(name, **options):
        if "immutable=1" not in str(name):
            raise sqlite3.OperationalError("attempt to write a readonly database")
        return connect(name, **options)

    monkeypatch.setattr(os, "access", lambda place, mode: mode != os.W_OK)
    monkeypatch.setattr(sqlite3, "connect", connected)
    assert same(first, fits_of(two_gaussians, path))
    assert np.array_equal(fits_of(two_gaussians, path, trueness.Bootstrap(20)).scores, first.scores[:20])
    assert contents(path).tables[0].rows[0][3] == "40 of 40"
    with pytest.raises(InputError, match="readonly"):
        fits_of(two_gaussians, path, trueness.Bootstrap(41))


def test_a_store_in_the_home_of_the_user(tmp_path, two_gaussians, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    fits_of(two_gaussians, "~/r.db", trueness.Bootstrap(5))
    assert [path.name for path in tmp_path.rglob("*.db")] == ["r.db"]
    assert stored(tmp_path / "home" / "r.db") == set(range(5))


def fill(data, path):
    """A run on a disk with room for 100 kB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    try:
        fits_of(data, path, trueness.Bootstrap(400))
    except InputError as error:
        os._exit(7 if error.param == "store" else 8)


def test_a_full_disk_is_an_error_and_what_was_stored_is_kept(tmp_path, two_gaussians):
    path = tmp_path / "r.db"
    process = multiprocessing.get_context("fork").Process(target=fill, args=(two_gaussians, path))
    process.start()
    process.join()
    assert process.exitcode == 7
    assert 0 < len(stored(path)) < 400
    plan = trueness.Bootstrap(400)
    assert same(fits_of(two_gaussians, path, plan), fits_of(two_gaussians, None, plan))


@pytest.mark.parametrize("content", [b"a,b\n1,2\n" * 200, b"x"], ids=["a table", "one byte"])
def test_a_file_that_is_no_store(tmp_path, two_gaussians, content):
    (tmp_path / "r.db").write_bytes(content)
    with pytest.raises(InputError) as caught:
        fits_of(two_gaussians, tmp_path / "r.db")
    assert caught.value.param == "store"
    with pytest.raises(InputError):
        contents(tmp_path / "r.db")
    assert (tmp_path / "r.db").read_bytes() == content


@pytest.mark.parametrize("store", [5, True, b"r.db", "a\0b", "", ".", "a" * 256, "/".join(["a"] * 3000), "\ud800"])
def test_what_is_no_path_of_a_file(two_gaussians, store):
    with pytest.raises(InputError) as caught:
        trueness.assess(Tree(), *two_gaussians, plan=trueness.Bootstrap(20), store=store)
    assert caught.value.param == "store"


@pytest.mark.parametrize(
    "change",
    [
        "update blocks set numbers = cast(substr(numbers, 1, 200) || x'40' || substr(numbers, 202) as blob)",
        "update blocks set numbers = x'07'",
        "update blocks set answers = '[]'",
        "update blocks set answers = '[1]'",
        "update blocks set sets = 'x'",
        "update blocks set start = 'a'",
        "update blocks set stop = stop + 5",
        "update recipe set text = 'x'",
        "update recipe set text = '[]'",
        "update recipe set text = 1",
    ],
)
def test_a_block_that_is_not_as_it_was_written_is_refused(tmp_path, two_gaussians, change):
    path = tmp_path / "r.db"
    fits_of(two_gaussians, path)
    with sqlite3.connect(path) as file:
        file.execute(change)
    with pytest.raises(InputError) as caught:
        fits_of(two_gaussians, path)
    assert caught.value.param == "store"
    with suppress(InputError):  # it may show what it can
        contents(path)


def test_changed_bytes_are_refused_or_change_nothing(tmp_path, two_gaussians):
    path, copy = tmp_path / "r.db", tmp_path / "copy.db"
    whole = fits_of(two_gaussians, path)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        content = np.frombuffer(path.read_bytes(), dtype=np.uint8).copy()
        content[rng.integers(100, len(content), 20)] = rng.integers(0, 256, 20)
        copy.write_bytes(content.tobytes())
        for left in tmp_path.glob("copy.db-*"):
            left.unlink()
        with suppress(InputError):
            assert same(fits_of(two_gaussians, copy), whole)
        with suppress(InputError):
            contents(copy)


def test_a_database_of_another_program_is_left_alone(tmp_path, two_gaussians):
    with sqlite3.connect(tmp_path / "r.db") as file:
        file.execute("create table bookmarks (name text)")
    with pytest.raises(InputError, match="not a store"):
        fits_of(two_gaussians, tmp_path / "r.db")
    with sqlite3.connect(tmp_path / "r.db") as file:
        assert file.execute("select name from sqlite_master").fetchall() == [("bookmarks",)]


def test_nothing_is_unpickled(tmp_path, two_gaussians):
    fits_of(two_gaussians, tmp_path / "r.db")
    bad = np.array([Evil(str(tmp_path / "evil"))], dtype=object)
    np.save(tmp_path / "bad.npy", bad, allow_pickle=True)
    with sqlite3.connect(tmp_path / "r.db") as file:
        file.create_function("checksum", -1, checksum)  # of somebody who knows how
        file.execute("update blocks set numbers = ?", ((tmp_path / "bad.npy").read_bytes(),))
        file.execute("update blocks set checksum = checksum(run, start, stop, sets, answers, numbers)")
    with pytest.raises(InputError, match="cannot be used.*pickle"):
        fits_of(two_gaussians, tmp_path / "r.db")
    assert not (tmp_path / "evil").exists()
    pickle.loads(pickle.dumps(bad[0]))
    assert (tmp_path / "evil").exists()  # it would have


class Evil:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_a_store_that_was_killed_before_its_first_table(tmp_path, two_gaussians):
    with sqlite3.connect(tmp_path / "r.db") as file:
        file.execute("pragma journal_mode = wal")
    assert stored_seed(tmp_path / "r.db") is None
    assert not contents(tmp_path / "r.db").tables[0].rows
    assert same(fits_of(two_gaussians, tmp_path / "r.db"), fits_of(two_gaussians, None))


def test_gaps():
    assert gaps([], 5) == [range(5)]
    assert gaps([range(2), range(3, 5)], 7) == [range(2, 3), range(5, 7)]
    assert gaps([range(2), range(2, 5)], 5) == []


def test_a_fit_that_ran_out_of_memory_is_made_again(tmp_path, two_gaussians):
    full = tmp_path / "full"
    full.touch()
    model = Forgetful(str(full))
    first = fits_of(two_gaussians, tmp_path / "r.db", model=model)
    assert first.failed
    assert "MemoryError" in first.failed[0].error
    full.unlink()
    assert not fits_of(two_gaussians, tmp_path / "r.db", model=model).failed


def test_other_versions_of_the_libraries_of_models_are_refused(tmp_path, two_gaussians, monkeypatch):
    for version in ("0.2", "0.1"):
        monkeypatch.setattr(store, "libraries", lambda version=version: {"xgboost": version})
        if version == "0.2":
            fits_of(two_gaussians, tmp_path / "r.db")
    with pytest.raises(InputError, match=r"xgboost 0\.2 in the store, 0\.1 asked for"):
        fits_of(two_gaussians, tmp_path / "r.db")


def test_set_output_is_part_of_what_a_store_is_for(tmp_path, two_gaussians):
    plain, framed = StandardScaler(), StandardScaler().set_output(transform="pandas")
    assert described(plain) != described(framed) == described(clone(framed))
    fits_of(two_gaussians, tmp_path / "r.db")
    with config_context(transform_output="pandas"), pytest.raises(InputError, match="set_output default in the store"):
        fits_of(two_gaussians, tmp_path / "r.db")


def test_a_block_whose_header_claims_80_terabytes_is_damaged(tmp_path, two_gaussians):
    fits_of(two_gaussians, tmp_path / "r.db")
    with closing(sqlite3.connect(tmp_path / "r.db")) as file:
        *row, _ = file.execute("select * from blocks limit 1").fetchone()
        header = {"descr": "<f8", "fortran_order": False, "shape": (10**13,)}
        blob = io.BytesIO()
        np.lib.format.write_array_header_1_0(blob, header)
        row[5] = blob.getvalue()
        file.execute("update blocks set numbers = ?, checksum = ? where start = ?", (row[5], checksum(*row), row[1]))
        file.commit()
    with pytest.raises(InputError, match="The store cannot be used"):
        fits_of(two_gaussians, tmp_path / "r.db")

"""The runner: same bits for any n_jobs, after an interruption, and whatever runs beside a cell."""

import math

import numpy as np
import pytest

from trueness.checks import seed_sequence
from trueness.errors import InputError
from trueness.studies.runner import Cell, Run
from trueness.studies.store import TrialStore


def noise(setting, seed):
    """A trial that is nothing but its seed and its setting."""
    x = np.random.default_rng(seed).normal(size=3) * setting
    return {"first": x[0], "root": math.sqrt(abs(x[1])), "third": x[2] / 3}


class Interrupted:
    """The same trial, but the machine is switched off when it has run `life` times."""

    def __init__(self, life):
        self.left = life

    def __call__(self, setting, seed):
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return noise(setting, seed)


CELLS = [Cell({"size": 20}, (20,), 1.0), Cell({"size": 50}, (50,), 2.0)]


def make_run(trials=23, **options):
    return Run(trials, (), seed_sequence(7), n_jobs=options.pop("n_jobs", 1), progress=False, **options)


def same(a, b):
    return all(x.equals(y) for x, y in zip(a, b, strict=True))


def test_workers_never_change_a_number():
    def here(setting, seed):  # travels to the workers by value: they cannot import a test
        return {"first": float(np.random.default_rng(seed).normal() * setting)}

    assert same(make_run().simulate(CELLS, here, chunk=5), make_run(n_jobs=2).simulate(CELLS, here, chunk=5))


def test_chunks_never_change_a_number():
    assert same(make_run().simulate(CELLS, noise, chunk=1), make_run().simulate(CELLS, noise, chunk=100))


def test_fewer_trials_are_the_first_ones_of_more():
    more, fewer = make_run(30).simulate(CELLS, noise), make_run(11).simulate(CELLS, noise)
    assert all(a.iloc[:11].equals(b) for a, b in zip(more, fewer, strict=True))


def test_a_cell_does_not_depend_on_its_neighbours():
    assert same(make_run().simulate(CELLS[1:], noise), make_run().simulate(CELLS, noise)[1:])


def test_an_expensive_cell_has_a_share_of_the_trials(tmp_path):
    costly = Cell({"size": 50}, (50,), 2.0, share=0.25)
    cheap, few = make_run(40).simulate([CELLS[0], costly], noise, chunk=3)
    assert (len(cheap), len(few)) == (40, 10)
    whole = make_run(40).simulate(CELLS, noise, chunk=3)
    assert cheap.equals(whole[0])
    assert few.equals(whole[1].iloc[:10])
    make_run(12, store=tmp_path / "a.db").simulate([CELLS[0], costly], noise, chunk=3)
    kept = make_run(40, store=tmp_path / "a.db").simulate([CELLS[0], costly], noise, chunk=3)
    assert same(kept, [cheap, few])


def test_trials_and_cells_are_different():
    a, b = make_run().simulate(CELLS, noise)
    assert len(set(a["first"])) == 23
    assert not np.isclose(a["first"] * 2, b["first"]).any()


def test_an_interrupted_study_goes_on_to_the_same_bits(tmp_path):
    whole = make_run().simulate(CELLS, noise, chunk=4)
    store = tmp_path / "trials.db"
    with pytest.raises(KeyboardInterrupt):
        make_run(store=store).simulate(CELLS, Interrupted(14), chunk=4)
    rest = Interrupted(46 - 12)  # 3 whole chunks were kept; one trial more would be an interrupt
    assert same(whole, make_run(store=store).simulate(CELLS, rest, chunk=4))
    assert rest.left == 0
    assert same(whole, make_run(store=store).simulate(CELLS, Interrupted(0), chunk=4))


def test_a_store_serves_more_trials_later(tmp_path):
    store = tmp_path / "trials.db"
    make_run(20, store=store).simulate(CELLS, noise, chunk=5)
    left = Interrupted(20)
    assert same(make_run(30).simulate(CELLS, noise), make_run(30, store=store).simulate(CELLS, left, chunk=5))
    assert left.left == 0


def test_a_store_of_another_recipe_is_refused(tmp_path):
    path = tmp_path / "trials.db"
    TrialStore(path, {"seed": 1, "options": {"resamples": 100}})
    with pytest.raises(InputError, match="seed 1 in the store, 2 asked for"):
        TrialStore(path, {"seed": 2, "options": {"resamples": 100}})


def test_a_file_that_is_no_store_is_refused(tmp_path):
    path = tmp_path / "trials.db"
    path.write_text("not a database, but long enough to be mistaken for one" * 100)
    with pytest.raises(InputError, match="not a store"):
        TrialStore(path, {})


def test_numbers_survive_the_store_bit_for_bit(tmp_path):
    store = TrialStore(tmp_path / "trials.db", {})
    odd = np.array([[0.1 + 0.2, np.nan, -0.0], [5e-324, np.inf, 1 / 3]])
    store.put("cell", 0, 2, ["a", "b", "c"], odd)
    columns, back = store.get("cell", 0, 2)
    assert columns == ["a", "b", "c"]
    assert back.tobytes() == odd.tobytes()
    assert store.get("cell", 0, 3) is None
    assert store.get("other", 0, 2) is None


def test_a_trial_must_always_give_the_same_names():
    def fickle(setting, seed):
        return {f"x{seed.spawn_key[-1]}": 1.0}

    with pytest.raises(InputError, match="same names"):
        make_run().simulate(CELLS, fickle)


def test_two_cells_of_one_name_are_an_error():
    with pytest.raises(InputError, match="same labels"):
        make_run().simulate([CELLS[0], CELLS[0]], noise)

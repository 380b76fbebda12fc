"""Models that write into the table they are given, or end the program: the same answers everywhere, nothing lost."""

import os
import random
import sys
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from deadly import DrawsGlobally, Leaves, TooFew, squared, squared_in_place
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import check_random_state

import trueness
from trueness.errors import FitError, InputError
from trueness.fitting.models import imported_model

PLANS = [trueness.Bootstrap(12), trueness.KFold(4, repeats=2)]


@pytest.mark.parametrize("form", [np.array, lambda X: pd.DataFrame(X, columns=["a", "b"])], ids=["array", "frame"])
@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_a_step_that_writes_into_its_table_changes_no_other_fit(two_gaussians, form, plan):
    X, y = two_gaussians
    table, design = form(X[:, :2]), plan.draw(y, rng=1)
    clean = trueness.fit(make_pipeline(FunctionTransformer(squared), LogisticRegression()), table, y, design)
    model = make_pipeline(FunctionTransformer(squared_in_place), LogisticRegression())
    for n_jobs in (1, 2):
        found = trueness.fit(model, table, y, design, n_jobs=n_jobs)
        assert np.array_equal(found.scores, clean.scores, equal_nan=True)
        assert np.array_equal(found.full_scores, clean.full_scores)
        assert np.array_equal(np.asarray(table), X[:, :2])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_model_that_ends_the_program_is_a_fit_that_failed(two_gaussians, n_jobs):
    X, y = two_gaussians
    with pytest.raises(FitError, match="SystemExit: 7"):
        trueness.fit(Leaves(), X, y, trueness.Bootstrap(30), rng=0, n_jobs=n_jobs)


def test_a_module_that_ends_the_program_is_no_model(tmp_path, monkeypatch):
    (tmp_path / "a_program.py").write_text("import sys\nsys.exit(7)\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        imported_model("a_program", "model")
    assert caught.value.param == "model"


def test_what_a_fit_writes_to_standard_error_arrives_before_a_crash_could_lose_it(two_gaussians, capfd, monkeypatch):
    (X, y), arrived = two_gaussians, []
    monkeypatch.setattr(sys, "stderr", sys.stderr)

    class Writes(GaussianNB):
        def fit(self, X, labels):
            if len(labels) < len(y):  # the fit on all cases comes first
                os.write(2, b"hello\n")
                arrived.append(capfd.readouterr().err)
                sys.stderr = None
            return super().fit(X, labels)

    trueness.fit(Writes(), X, y, trueness.KFold(10), rng=0, progress=False)
    assert arrived == ["hello\n"] * 10
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "after\n"


class Overlaps(GaussianNB):
    """The second begins to fit while the first does, and goes on when the first run is over."""

    first_fits, second_fits, first_is_done = threading.Event(), threading.Event(), threading.Event()

    def __init__(self, second=False):
        super().__init__()
        self.second = second

    def fit(self, X, y):
        (self.second_fits if self.second else self.first_fits).set()
        assert (self.first_is_done if self.second else self.second_fits).wait(60)
        warnings.warn(f"second {self.second}", UserWarning, stacklevel=2)
        return super().fit(X, y)


def test_threads_that_overlap_count_their_own_warnings_and_leave_those_of_the_process_alone(two_gaussians):
    before, found = (warnings.showwarning, list(warnings.filters)), {}

    def run(second):
        found[second] = trueness.assess(Overlaps(second), *two_gaussians, plan=trueness.KFold(10), rng=0)

    try:
        first, second = (threading.Thread(target=run, args=(which,)) for which in (False, True))
        first.start()
        assert Overlaps.first_fits.wait(60)
        second.start()
        first.join()
        Overlaps.first_is_done.set()
        second.join()
        assert (warnings.showwarning, list(warnings.filters)) == before
    finally:
        warnings.showwarning, warnings.filters[:] = before
    for which, assessment in found.items():
        (note,) = (note for note in assessment.notes if note.code == "fit-warnings")
        assert (note.data["fits"], note.data["first"]) == (10, f"UserWarning: second {which}")


@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_a_model_that_draws_from_global_generators_gives_the_same_numbers_and_leaves_them_as_they_were(
    two_gaussians, plan
):
    X, y = two_gaussians
    found = []
    for k, n_jobs in enumerate((1, 1, 2)):
        random.seed(k)
        check_random_state(None).seed(k)
        check_random_state(None).normal()  # the second of a pair is kept in the state
        states = random.getstate(), check_random_state(None).get_state(legacy=False)
        found.append(trueness.fit(DrawsGlobally(), X, y, plan, rng=1, n_jobs=n_jobs))
        after = random.getstate(), check_random_state(None).get_state(legacy=False)
        assert str(states) == str(after)
    for other in found[1:]:
        assert np.array_equal(other.scores, found[0].scores, equal_nan=True)
        assert np.array_equal(other.full_scores, found[0].full_scores)
    assert len(np.unique(found[0].full_scores)) > 2


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_answers_of_the_wrong_length_are_named(two_gaussians, plan, method):
    n = len(two_gaussians[1])
    with pytest.raises(InputError, match=rf"{method} of the model must have .* Got .*{n - 1}.* for {n} cases"):
        trueness.fit(TooFew(method), *two_gaussians, plan, rng=0)

"""How far a run is, for people who wait."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.fitting import generic, progress
from trueness.fitting.progress import Progress, duration


def test_nothing_is_said_without_a_terminal_or_when_not_wanted(capsys):
    for wanted in (None, False):
        with Progress(10, wanted, "lda") as bar:
            bar.advance(5)
            bar.announce(1.0, 1)
    assert capsys.readouterr().err == ""


def test_a_line_is_replaced_and_erased(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "clock", lambda: now[0])
    with Progress(10, True, "lda") as bar:
        assert capsys.readouterr().err == "\rlda"
        now[0] = 5.0
        bar.advance(5)
        shown = capsys.readouterr().err
        assert shown.strip() == "lda: 5 of 10, about 5 s left"
        bar.announce(1000.0, 1)
    assert capsys.readouterr().err == f"\r{'':<{len(shown) - 1}}\r"


def test_a_stage_of_unknown_length(capsys):
    with Progress(None, True, "computing standard errors") as bar:
        bar.advance(1)
    assert "computing standard errors" in capsys.readouterr().err


def test_progress_names_models_as_the_user_does(monkeypatch):
    model = make_pipeline(StandardScaler(), GaussianNB())
    assert progress.name_of(model) == "GaussianNB"
    with progress.paced(progress.Pace(name="naive bayes")):
        assert progress.name_of(model) == "naive bayes"
    assert progress.name_of(model) == "GaussianNB"
    labels = []
    monkeypatch.setattr(
        "trueness.fitting.engine.Progress", lambda total, wanted, label: labels.append(label) or Progress(1, False)
    )
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    trueness.compare({"one": GaussianNB(), "two": model}, X, y, "error", plan=trueness.KFold(3, repeats=2), rng=0)
    assert labels == ["one", "two"]


class Starting(GaussianNB):
    """Its first fit takes 9 s, as that of a grid search whose workers have to start; the others half a second."""

    def fit(self, X, y):
        now[0] += 0.5 if now[0] else 9.0
        return super().fit(X, y)


now = [0.0]


def test_what_happens_once_in_the_first_fit_is_not_expected_of_the_others(monkeypatch, two_gaussians, recwarn):
    monkeypatch.setattr(generic, "clock", lambda: now[0])
    now[0] = 0.0
    X, y = two_gaussians
    trueness.assess(Starting(), X, y, fits=60, rng=0)
    assert 38 < now[0] < 41
    assert not [w for w in recwarn if issubclass(w.category, trueness.errors.LongRunWarning)]


@pytest.mark.parametrize("how", ["auto", "generic"])
def test_all_fits_are_counted(monkeypatch, two_gaussians, how):
    X, y = two_gaussians
    done = []
    monkeypatch.setattr(Progress, "advance", lambda self, k: done.append(k))
    for plan in (trueness.Bootstrap(40), trueness.CvBootstrap(), trueness.plans.LeaveOneOut()):
        done.clear()
        fits = trueness.fit(GaussianNB(), X, y, plan, rng=0, engine=how)
        assert sum(done) == fits.n_fits


def test_batches_are_short_enough_to_show_that_something_happens(two_gaussians):
    X, y = two_gaussians
    sample = trueness.sample.Sample.of(y, X=X)
    found = [generic.size_of_batches(n, sample, 1, s) for n, s in ((100, 2.0), (6400, 0.1), (6400, 1e-4))]
    assert found == [1, 5, 800]


@pytest.mark.parametrize(("seconds", "text"), [(41.3, "41 s"), (200, "3 min"), (9000, "2.5 h")])
def test_durations(seconds, text):
    assert duration(seconds) == text

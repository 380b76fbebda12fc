"""How far a run is, for people who wait."""

import io
import sys
import threading
import time
import types

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import trueness
from trueness.fitting import generic, progress
from trueness.fitting.progress import Progress, duration


@pytest.fixture
def quick(monkeypatch):
    """A first sign after a hundredth of a second."""
    monkeypatch.setattr(progress, "FIRST_SIGN", 0.01)


def test_nothing_is_said_without_a_terminal_or_when_not_wanted(quick, capsys):
    for wanted in (None, False):
        with Progress(10, wanted, "lda") as bar:
            time.sleep(0.03)
            bar.advance(5)
            bar.announce(10.0, 1)
    assert capsys.readouterr().err == ""


def test_a_short_run_says_nothing(capsys):
    with Progress(10, True, "lda") as bar:
        bar.advance(10)
        bar.announce(0.1, 1)
    assert capsys.readouterr().err == ""


def test_a_line_appears_before_the_first_step_is_done(quick, capsys):
    with Progress(10, True, "lda") as bar:
        time.sleep(0.1)
        assert "lda: 0 of 10" in capsys.readouterr().err
        bar.advance(5)
        assert "lda: 5 of 10, about 0 s left" in capsys.readouterr().err
    assert capsys.readouterr().err.strip() == ""  # erased


def test_a_stage_of_unknown_length(quick, capsys):
    with Progress(None, True, "computing standard errors"):
        time.sleep(0.1)
    assert "computing standard errors" in capsys.readouterr().err


@pytest.fixture
def notebook(monkeypatch):
    """A notebook whose displays take a moment: what each shows, one state after another, from when it is opened."""

    class OutStream(io.StringIO):
        __module__ = "ipykernel.iostream"

    class Handle:
        def __init__(self, states):
            self.states = states

        def update(self, data, raw):
            time.sleep(0.02)
            self.states.append(data)

    def display(data, raw, display_id):
        time.sleep(0.02)
        displays.append([data])
        return Handle(displays[-1])

    displays = []
    module = types.ModuleType("IPython.display")
    module.display = display
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)

    def opened():
        monkeypatch.setattr(sys, "stderr", OutStream())
        return displays

    return opened


def test_a_notebook_has_a_bar_that_changes_in_place_and_goes_away(quick, notebook, capsys):
    displays = notebook()
    with Progress(3, None, "<lda>") as bar:
        time.sleep(0.1)
        shown = displays[0]
        assert '<progress value="0" max="3"' in shown[-1]["text/html"]
        assert "&lt;lda&gt;: 0 of 3" in shown[-1]["text/html"]
        bar.announce(1000.0, 1)
        time.sleep(0.02)
        bar.advance(2)
        assert shown[-1]["text/plain"].startswith("<lda>: 2 of 3, about")
    assert shown[-1]["text/html"] == ""
    assert sys.stderr.getvalue() == ""  # which notebooks paint red
    assert "take about 50 min" in capsys.readouterr().out


@pytest.mark.parametrize("wait", [0.0, 0.009, 0.01, 0.011, 0.02, 0.03])
def test_no_bar_stays_in_a_notebook_whatever_comes_first(quick, notebook, wait):
    """The timer and a step that ends at the same time share one display, and nothing is shown after the end."""
    displays = notebook()
    with Progress(20, None, "lda") as bar:
        time.sleep(wait)
        bar.advance(5)
    time.sleep(0.06)
    assert len(displays) <= 1
    assert all(states[-1]["text/html"] == "" for states in displays)


def test_a_step_and_the_timer_share_one_display(quick, notebook):
    displays = notebook()
    with Progress(20, None, "lda") as bar:
        both = [threading.Thread(target=bar._write) for _ in range(4)]
        for each in both:
            each.start()
        for each in both:
            each.join()
    assert len(displays) == 1
    assert displays[0][-1]["text/html"] == ""


def test_progress_names_models_as_the_user_does(monkeypatch):
    model = make_pipeline(StandardScaler(), GaussianNB())
    assert progress.name_of(model) == "GaussianNB"
    with progress.called("naive bayes"):
        assert progress.name_of(model) == "naive bayes"
    assert progress.name_of(model) == "GaussianNB"
    labels = []
    monkeypatch.setattr(
        "trueness.fitting.engine.Progress", lambda total, wanted, label: labels.append(label) or Progress(1, False)
    )
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    trueness.compare({"one": GaussianNB(), "two": model}, X, y, "error", plan=trueness.KFold(3, repeats=2), rng=0)
    assert labels == ["one", "two"]


def test_a_terminal_has_a_bar_with_the_name_of_the_model(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with Progress(3, None, "lda [fast]") as bar:
        bar.advance(2)
        bar.announce(1000.0, 1)
    with Progress(None, None, "computing standard errors"):
        pass
    shown = sys.stderr.getvalue()
    assert "lda [fast]" in shown
    assert "2/3" in shown
    assert "1 fit takes about 17 min. n_jobs= uses more workers." in " ".join(shown.split())
    assert "computing standard errors" in shown


def test_a_long_run_is_announced_once_with_what_would_help(capsys):
    with Progress(200, True, "forest") as bar, progress.paced(progress.Pace(advice="fits=60 helps.")):
        bar.announce(1.0, 2)
        bar.announce(1.0, 2)
    assert capsys.readouterr().err == "forest: 200 fits take about 2 min with 2 workers. fits=60 helps.\n"


def test_assess_announces_a_long_run_and_says_what_it_does(monkeypatch, capsys, two_gaussians):
    monkeypatch.setattr(progress, "LONG", 0.0)
    X, y = two_gaussians
    trueness.assess(GaussianNB(), X, y, rng=0, engine="generic", progress=True)
    said = capsys.readouterr().err
    assert said.count("GaussianNB: 99 fits take about") == 1
    assert "fits=60" in said
    trueness.assess(GaussianNB(), X, y, plan=trueness.KFold(5), rng=0, engine="generic", progress=True)
    assert "fits=60" not in capsys.readouterr().err
    trueness.assess(GaussianNB(), X, y, plan=trueness.KFold(5), rng=0, engine="generic")
    assert capsys.readouterr().err == ""


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


def test_the_fewest_fits_are_not_advised_to_who_asked_for_them(two_gaussians, monkeypatch, capsys):
    monkeypatch.setattr(progress, "LONG", 0.0)
    X, y = two_gaussians
    trueness.assess(GaussianNB(), X, y, fits=60, rng=0, engine="generic", progress=True)
    said = capsys.readouterr().err
    assert "59 fits take about" in said
    assert "fits=60" not in said
    assert "seconds=600 limits the time" in said


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
    assert [len(b) for b in generic._batches([range(3, 103)], sample, 1, None, 2.0)] == [1] * 100
    slow, fast = (len(generic._batches([range(6400)], sample, 1, None, s)) for s in (0.1, 1e-4))
    assert (slow, fast) == (1280, 8)
    assert np.concatenate(generic._batches([range(3, 60), range(60, 103)], sample, 2, 30, 0.0)).tolist() == list(
        range(3, 103)
    )


@pytest.mark.parametrize(("seconds", "text"), [(41.3, "41 s"), (200, "3 min"), (9000, "2.5 h")])
def test_durations(seconds, text):
    assert duration(seconds) == text

"""A neural network of skorch (PyTorch) behind scikit-learn's interface; runs where both are installed."""

import numpy as np
import pytest

import trueness

WHY = "needs trueness[skorch]; .ci/run installs PyTorch's build for CPUs (190 MB) where the package index has one"
torch = pytest.importorskip("torch", reason=WHY)
skorch = pytest.importorskip("skorch", reason=WHY)


@pytest.mark.filterwarnings(
    "ignore::trueness.errors.TruenessWarning"
)  # notes on a small network differ between processors
def test_a_network_is_assessed_and_compared():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    torch.manual_seed(0)  # the weights of a network that is made here; those of a class are drawn in each fit
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 3)) + 1.5 * y[:, None]

    net = skorch.NeuralNetClassifier(
        torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2), torch.nn.Softmax(dim=-1)),
        max_epochs=30,
        lr=0.1,
        train_split=None,
        verbose=0,
    )
    model = make_pipeline(FunctionTransformer(np.float32), net)
    plan = trueness.CvBootstrap(5, repeats=2, n_resamples=20)
    a = trueness.assess(model, X, y, plan=plan, metrics=["auc", "f1"], rng=0, checks=False)
    assert a["auc"].has_interval
    assert 0.8 < a["auc"].value < 1
    assert not a.fits.failed
    models = {"net": model, "LDA": LinearDiscriminantAnalysis()}
    k = trueness.compare(models, X, y, plan=plan, rng=0, checks=False)
    assert 0 < k.p_value <= 1


@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
def test_a_network_gives_the_same_bits_with_any_number_of_workers_and_leaves_the_generator_alone():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = (rng.normal(size=(40, 2)) + y[:, None]).astype(np.float32)
    net = skorch.NeuralNetClassifier(  # a class: its weights are drawn in each fit
        torch.nn.Linear,
        criterion=torch.nn.CrossEntropyLoss,
        module__in_features=2,
        module__out_features=2,
        max_epochs=2,
        train_split=None,
        verbose=0,
    )
    design = trueness.KFold(4).draw(y, rng=0)
    found = []
    for n_jobs in (1, 2):
        torch.rand(3)
        before = torch.get_rng_state()
        found.append(trueness.fit(net, X, y, design, n_jobs=n_jobs))
        assert torch.equal(torch.get_rng_state(), before)
    assert not found[0].failed
    np.testing.assert_array_equal(found[0].scores, found[1].scores)
    np.testing.assert_array_equal(found[0].full_scores, found[1].full_scores)
    before = torch.get_rng_state()
    trueness.two_sets(net, X[::2], y[::2], X[1::2], y[1::2], plan=trueness.Bootstrap(4), rng=0)
    assert torch.equal(torch.get_rng_state(), before)

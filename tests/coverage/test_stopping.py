"""A bootstrap that stops by itself estimates what one of 1000 replicates does: stopping shifts neither value nor
standard error, and intervals cover as often."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA

import trueness

SAMPLES = 400


@pytest.fixture(scope="module")
def runs():
    """(metric, plan, sample, [value, se, low, high]) and the sizes of the runs that stopped by themselves."""
    found = {(metric, which): [] for metric in ("error", "auc") for which in ("stops", "1000")}
    sizes = []
    y = np.repeat([0, 1], 30)
    for g in range(SAMPLES):
        X = np.random.default_rng([7, g]).normal(size=(60, 4))
        X[y == 1] += 0.6
        for which, plan in (("stops", trueness.Bootstrap()), ("1000", trueness.Bootstrap(1000))):
            a = trueness.assess(LDA(), X, y, plan=plan, rng=g)
            if which == "stops":
                sizes.append(a.fits.n_fits)
            for metric in ("error", "auc"):
                found[metric, which].append((a[metric].value, a[metric].se, *a[metric].ci()))
    return {key: np.array(rows) for key, rows in found.items()}, np.array(sizes)


@pytest.mark.coverage
@pytest.mark.filterwarnings("ignore::trueness.errors.TruenessWarning")
@pytest.mark.parametrize("metric", ["error", "auc"])
def test_stopping_shifts_nothing(runs, metric):
    found, sizes = runs
    stops, fixed = found[metric, "stops"], found[metric, "1000"]
    se, target = fixed[:, 1].mean(), fixed[:, 0].mean()  # E(LOOB), E(LPOB): what the intervals are about
    shift = (stops[:, 0] - fixed[:, 0]) / se
    covered = [((rows[:, 2] <= target) & (target <= rows[:, 3])).mean() for rows in (stops, fixed)]
    ratio = stops[:, 1].mean() / fixed[:, 1].mean()
    print(
        f"{metric}: replicates {sizes.min()}–{sizes.max()}, median {np.median(sizes):.0f}; shift "
        f"{shift.mean():.3f} se, spread {shift.std():.3f} se; "
        f"se {ratio:.3f} times that of 1000; coverage {covered[0]:.3f}, {covered[1]:.3f}"
    )
    assert 100 <= sizes.min() < np.median(sizes) <= 500
    assert abs(shift.mean()) < 3 * shift.std() / np.sqrt(SAMPLES) + 0.005
    assert shift.std() < 0.15
    assert 0.97 < ratio < 1.03
    assert covered[0] > covered[1] - 0.02

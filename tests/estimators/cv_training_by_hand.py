"""cv+training in plain NumPy, written from its formulas: the slow, obvious version."""

import numpy as np


def unit_sums(values, units):
    """(..., n) summed within units."""
    return np.stack([values[..., units == u].sum(axis=-1) for u in range(units.max() + 1)], axis=-1)


def strata(codes, units, stratified):
    """(U,) stratum of each unit, and its size."""
    first = np.unique(units, return_index=True)[1]
    of = codes[first] if stratified else np.zeros(len(first), dtype=int)
    return of, np.bincount(of)[of], first


def case_terms(mean_loss, counts, losses, codes, units, stratified, fixed):
    """a, τ, ν and β of a mean over cases."""
    n = len(codes)
    out = counts == 0
    times = out.sum(axis=0)
    means = np.where(out, losses, 0.0).sum(axis=0) / np.maximum(times, 1)
    rho = np.where(out, losses - means, 0.0) / np.maximum(times - 1, 1)
    of, m, first = strata(codes, units, stratified)
    drawn, rho_u, total = counts[:, first].astype(float), unit_sums(rho, units), rho.sum(axis=1)
    own = np.stack([rho_u[:, of == s].sum(axis=1) for s in of], axis=1)
    y = (drawn - m / (m - 1)) * (own - rho_u) + (drawn - 1) * (total[:, None] - own)
    centre = np.array([mean_loss[codes == c].mean() for c in codes]) if fixed else mean_loss.mean()
    a = unit_sums(mean_loss - centre, units)
    return a / n, y.sum(axis=0) / n, (y**2).sum(axis=0) / n**2, m / (m - 1)


def psi(up, down):
    """(n1, n0) 1, ½ or 0."""
    gap = up[:, None] - down[None, :]
    return (gap > 0) + 0.5 * (gap == 0)


def fold_placements(scores, codes, folds):
    """(n,) mean placement of each case in its own test fold, and (J,) the AUC of every fold."""
    total, values = np.zeros(len(codes)), []
    for row, fold in zip(scores, folds, strict=True):
        for k in range(fold.max() + 1):
            up, down = (np.flatnonzero((fold == k) & (codes == c)) for c in (1, 0))
            won = psi(row[up], row[down])
            total[up] += won.mean(axis=1)
            total[down] += won.mean(axis=0)
            values.append(won.mean())
    return total / len(scores), np.array(values)


def pair_residuals(counts, scores, codes):
    """(B, n) residuals summed over the pairs of each case, and (B,) over all, divided by the number of pairs."""
    up, down = np.flatnonzero(codes == 1), np.flatnonzero(codes == 0)
    both = [(c[up] == 0)[:, None] & (c[down] == 0)[None, :] for c in counts]
    won = [psi(s[up], s[down]) for s in scores]
    times = np.sum(both, axis=0)
    means = np.sum([b * w for b, w in zip(both, won, strict=True)], axis=0) / np.maximum(times, 1)
    each, total = np.zeros(counts.shape), np.zeros(len(counts))
    for b, (out, w) in enumerate(zip(both, won, strict=True)):
        rho = out * (w - means) / np.maximum(times - 1, 1) / times.size
        each[b, up], each[b, down], total[b] = rho.sum(axis=1), rho.sum(axis=0), rho.sum()
    return each, total


def pair_terms(placed, counts, each, total, codes, units, stratified):
    """a, τ, ν and β of an AUC."""
    sizes = np.bincount(codes)
    centre = np.array([placed[codes == c].mean() for c in codes])
    a = unit_sums((placed - centre) / sizes[codes], units)
    _, m, first = strata(codes, units, stratified)
    y = (counts[:, first] - m / (m - (1 if stratified else 2))) * (total[:, None] - unit_sums(each, units))
    return a, y.sum(axis=0), (y**2).sum(axis=0), m / (m - 1)


def class_share_variance(mean_loss, codes, units):
    """Σ (Ē_c − Err)²/n² over units: what a mean over cases varies by with the class sizes."""
    between = np.array([mean_loss[codes == c].mean() for c in codes]) - mean_loss.mean()
    return (unit_sums(between / len(codes), units) ** 2).sum()


def variance(a, tau, nu, beta, values, ratio, shares=0.0):
    """max(NB, b + 2 t, 0.9 h)."""
    nb = (1 / len(values) + ratio) * values.var(ddof=1) + shares
    t = max(0.0, (beta * (tau**2 - nu)).sum())
    h = max(0.0, (beta * ((a + tau) ** 2 - nu)).sum())
    return max(nb, (beta * a**2).sum() + 2 * t, 0.9 * h)

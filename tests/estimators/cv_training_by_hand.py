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
    """a, τ, β and t of a mean over cases."""
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
    return a / n, y.sum(axis=0) / n, m / (m - 1), case_training(out, np.where(out, losses - means, 0.0), units)


def case_training(out, d, units):
    """Covariance of the losses of two left-out cases of different units under one rule, by all pairs of cases."""
    apart = units[:, None] != units[None, :]
    found = sum((np.outer(row, row) * apart).sum() for row in d)
    both = sum((np.outer(row, row) * apart).sum() for row in out.astype(float))
    d1, d2 = out.sum(axis=0).mean(), both / apart.sum()
    return found / both / (1 - 2 / d1 + d2 / d1**2)


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


def pair_terms(placed, counts, scores, codes, units, stratified, mixed=False):
    """a, τ, β and t of an AUC; `scores` (B, n) of one rule, or of two whose difference is meant."""
    up, down = np.flatnonzero(codes == 1), np.flatnonzero(codes == 0)
    other = units[up][:, None] != units[down][None, :] if mixed else np.ones((len(up), len(down)), bool)
    both = np.array([np.outer(c[up] == 0, c[down] == 0) & other for c in counts], float)
    won = np.array(
        [
            sum(sign * psi(s[up], s[down]) for sign, s in zip((1, -1), rules, strict=False))
            for rules in zip(*scores, strict=True)
        ]
    )
    c_up = (both * won).sum(axis=(0, 2)) / np.maximum(both.sum(axis=(0, 2)), 1)
    c_down = (both * won).sum(axis=(0, 1)) / np.maximum(both.sum(axis=(0, 1)), 1)
    e = both * (won - c_up[:, None] - c_down[None, :] + (both * won).sum() / both.sum())
    times = both.sum() / other.sum()
    each = np.zeros(counts.shape)
    each[:, up], each[:, down] = e.sum(axis=2), e.sum(axis=1)
    total = e.sum(axis=(1, 2))
    scale = other.sum() * (times - 1)
    sizes = np.bincount(codes)
    centre = np.array([placed[codes == c].mean() for c in codes])
    a = unit_sums((placed - centre) / sizes[codes], units)
    _, m, first = strata(codes, units, stratified)
    y = (counts[:, first] - m / (m - (1 if stratified else 2))) * (total[:, None] - unit_sums(each, units)) / scale
    return a, y.sum(axis=0), m / (m - 1), pair_training(e, both, units[up], units[down], counts)


def pair_training(e, both, of_up, of_down, counts):
    """Covariance of e of two pairs without a common unit under one rule, by all pairs of pairs of units."""
    g = max(of_up.max(), of_down.max()) + 1
    ends = np.array([(u, v) for u in range(g) for v in range(u + 1, g)])
    found = possible = 0.0
    apart = (ends[:, None, :, None] != ends[None, :, None, :]).all(axis=(2, 3)).astype(float)

    def of_units(table):
        out = np.zeros((g, g))
        np.add.at(out, (of_up[:, None] + 0 * of_down, of_down + 0 * of_up[:, None]), table)
        return (out + out.T)[ends[:, 0], ends[:, 1]]

    for table, made in zip(e, both, strict=True):
        x, n = of_units(table), of_units(made)
        found += x @ apart @ x
        possible += n @ apart @ n
    left = (counts == 0).sum(axis=0).mean()
    return found / possible / (1 - 4 / left + 3 / len(counts))


def classes_training(counts, scores, codes, units, apart):
    """t of the mean AUC of each class against the rest; `apart` (n, n) which cases are compared."""
    targets, out = range(codes.max() + 1), counts == 0
    e, both = np.zeros((2, len(counts), len(codes), len(codes)))
    residuals, made = [], []
    for t in targets:
        mask = (out & (codes == t))[:, :, None] & (out & (codes != t))[:, None, :] & apart
        won = sum(
            sign * np.array([psi(row, row) for row in rule[:, :, t]])
            for sign, rule in zip((1, -1), scores, strict=False)
        )
        rows, columns = ((mask * won).sum(axis=(0, k)) / np.maximum(mask.sum(axis=(0, k)), 1) for k in (2, 1))
        residuals.append(mask * (won - rows[:, None] - columns + (mask * won).sum() / mask.sum()))
        made.append(mask)
    each = np.array([mask.sum(axis=(1, 2)) for mask in made])  # (T, B) comparisons
    weight = (each > 0).all(axis=0) * each.mean(axis=0) / np.maximum(each, 1) / len(targets)
    for t in targets:
        e += weight[t][:, None, None] * residuals[t]
        both += weight[t][:, None, None] * made[t]
    return pair_training(e, both, units, units, counts)


def class_share_variance(mean_loss, codes, units):
    """Σ (Ē_c − Err)²/n² over units: what a mean over cases varies by with the class sizes."""
    between = np.array([mean_loss[codes == c].mean() for c in codes]) - mean_loss.mean()
    return (unit_sums(between / len(codes), units) ** 2).sum()


def variance(a, tau, beta, t, values, ratio, shares):
    """max(NB, b + t, 0.9 (b + t + 2 Σ β a τ))."""
    nb = (1 / len(values) + ratio) * values.var(ddof=1) + shares
    parts = (beta * a**2).sum() + max(0.0, t)
    return max(nb, parts, 0.9 * (parts + 2 * (beta * a * tau).sum()))

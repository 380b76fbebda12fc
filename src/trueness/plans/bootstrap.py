"""Bootstrap: training sets of n drawn with replacement; CvBootstrap: with cross-validation of the same cases."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from trueness.checks import check_whole, is_number
from trueness.errors import InputError
from trueness.plans.plan import DrawnParts, DrawnPlan, strata_of, units_of
from trueness.plans.splits import KFold
from trueness.result.words import counted
from trueness.sample.design import Design
from trueness.sample.rows import empty_rows
from trueness.sample.sample import Sample
from trueness.typing import Array, Ints, Rng, Stratified

BLOCK = 256  # training sets drawn together per stratum: a constant, so that a longer bootstrap begins with a shorter
FIRST_LOOK = 100  # replicates before the first look at the errors, and at least as many until the next
DRAWS_HELD = 2**20  # held in memory at a time; the stream does not depend on it


@dataclass(frozen=True)
class Bootstrap(DrawnPlan):
    """Training sets of n cases (or as many groups as there are), drawn with replacement.

    Parameters
    ----------
    n_resamples : int, optional
        Number of replicates B. Without it, `assess` and `compare` go on until the errors are known well enough: see
        `until`. Everything else needs a number: 100 are enough for a point estimate, 1000 for a standard error.
    stratified : bool or "fixed", default True
        Draw within each class, so that classes keep their sizes (the AUC needs cases of both).
        "fixed" does the same and says that the class sizes were fixed by design (a case-control study), so that the
        standard error of an error rate does not include their variation.
    until : float, default 0.1
        Without a number of replicates, stop when this times the standard error is more than the Monte-Carlo error of
        the estimate, and more than that of the standard error itself. That holds for every metric, by its recommended
        method; `compare` also asks it of every difference. The errors are looked at after 100, 200, 300, 400, 500, 700,
        900, … replicates: after a quarter more each, so that it is seldom more than a quarter too many.
    at_most : int, default 10000
        Without a number of replicates, stop here; a note (`stopped-early`) says so.
    seconds : float, optional
        Without a number of replicates, stop where the next replicates would end later than this after the start; the
        first 100 are always fitted. How many there are then depends on the machine, and the note says so.

    Notes
    -----
    Replicates are drawn in one order: those of `Bootstrap(300)` are the first 300 of `Bootstrap(1000)` with the same
    seed, and a run that stops after 300 has the numbers of `Bootstrap(300)`, to the last bit.

    Examples
    --------
    >>> import trueness
    >>> trueness.Bootstrap(3).draw([0, 0, 1, 1], rng=0).counts.sum(axis=1)
    array([4, 4, 4])
    >>> trueness.Bootstrap()
    Bootstrap(stratified=True, until=0.1, at_most=10000, seconds=None)
    """

    n_resamples: int | None = None
    stratified: Stratified = True
    until: float = 0.1
    at_most: int = 10_000
    seconds: float | None = None
    kind = "bootstrap"
    form = "bootstrap (as many replicates as needed) or bootstrap:B"
    given = ("n_resamples",)
    least = {"at_most": 2, "n_resamples": 1}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_number(self.until) or not 0 < self.until <= 1:
            raise InputError("until must be a share of the standard error", param="until", got=repr(self.until))
        if self.seconds is not None and not (is_number(self.seconds) and 0 < self.seconds < math.inf):
            raise InputError("seconds must be a positive number", param="seconds", got=repr(self.seconds))
        if self.n_resamples is not None and (self.until, self.at_most, self.seconds) != (0.1, 10_000, None):
            problem = "until, at_most and seconds are for a bootstrap without a number of replicates"
            raise InputError(problem, param="n_resamples", got=self.n_resamples, fix="Leave it out, or these")

    def __repr__(self) -> str:
        names = ["until", "at_most", "seconds"] if self.n_resamples is None else ["n_resamples"]
        names = sorted([*names, "stratified"], key=list(self.__dataclass_fields__).index)
        return f"Bootstrap({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    def draw_first(self, sample: Sample, rng: Rng = None) -> Design:
        """The first block of a bootstrap without a number."""
        return replace(self.of_size(min(FIRST_LOOK, self.at_most)).draw(sample, rng=rng), plan=self)

    def of_size(self, n_resamples: int) -> Bootstrap:
        """The same draws with a number of replicates."""
        return Bootstrap(n_resamples, self.stratified)

    def longer(self, n: int, design: Design) -> Bootstrap:
        return self.of_size(design.n_fits + n)

    def within(self, fits: int, sample: Sample) -> Bootstrap:
        most = self.at_most if self.n_resamples is None else self.n_resamples
        return self.of_size(min(most, max(FIRST_LOOK, fits)))

    def in_words(self, n_fits: int | None = None) -> str:
        n = n_fits or self.n_resamples
        return counted(n, "bootstrap sample") if n else "bootstrap samples"

    def _draw(self, sample: Sample, stratified: bool, rng: np.random.Generator) -> DrawnParts:
        if self.n_resamples is None:
            problem = (
                "A bootstrap without a number of replicates is for assess and compare, which see when they are enough"
            )
            raise InputError(problem, param="n_resamples", fix="Use e.g. Bootstrap(1000)")
        unit, codes, _ = units_of(sample)
        strata = strata_of(codes, stratified)
        out = empty_rows((self.n_resamples, sample.n), np.uint8)
        counts = np.zeros((BLOCK, len(codes)), dtype=np.uint8)
        for start in range(0, self.n_resamples, BLOCK):  # always whole blocks, also at the end
            for stratum in strata:
                add_bootstrap_counts(rng, stratum, counts)
            stop = min(start + BLOCK, self.n_resamples)
            wanted = counts[: stop - start]
            out[start:stop] = wanted if sample.groups is None else wanted[:, unit]
        return {"stored": out}


def add_bootstrap_counts(rng: np.random.Generator, members: Ints, counts: Array) -> None:
    """Draw as many of the members (m,) as there are, with replacement, into these columns of each row of `counts`.

    The counts are uint8: that one of m units is drawn more than 255 times has a probability below 10⁻⁵⁰⁰.
    """
    m = len(members)
    step = max(1, DRAWS_HELD // m)
    for start in range(0, len(counts), step):
        some = counts[start : start + step]
        drawn = rng.integers(0, m, size=(len(some), m), dtype=np.uint32)
        places = drawn + m * np.arange(len(some))[:, None]  # in one line: row after row
        some[:, members] = np.bincount(places.ravel(), minlength=some.shape[0] * m).reshape(-1, m)


def bootstrap_counts(rng: np.random.Generator, n: int, rows: int) -> Ints:
    """(rows, n) how often each of n units was drawn in n draws with replacement."""
    out = np.zeros((rows, n), dtype=np.uint8)
    add_bootstrap_counts(rng, np.arange(n), out)
    return out.astype(np.intp)


MAX_SCORES = 300_000_000  # cases × replicates of the default; 11 bytes each
GROUPS_PER_FOLD = 3  # at least, where groups hold several classes
LEAST_FITS = 60  # of an interval that covers (docs/how-many-fits.md)
SHARE_OF_FOLDS = 3  # one fit of so many is one of the cross-validation
MIN_CLASS_FOR_PLAIN_DRAWS = 20  # cases or groups: from so many on, a plain draw does not lose the class


@dataclass(frozen=True)
class CvBootstrap(DrawnPlan):
    """Repeated K-fold cross-validation, whose mean estimates the rule trained on all cases, and a bootstrap, which
    tells how much that rule depends on its training cases.

    Parameters
    ----------
    n_folds : int, default 10
        K; at most the number of cases (or groups) in the smallest class.
    repeats : int, default 10
        Independent partitions, at least 2.
    n_resamples : int, optional
        Bootstrap replicates; by default 3√n, at least 100, and above 215,000 cases no more than 3·10⁸/n: their scores
        fill 3 GB of temporary files then. The standard error is less exact with so few, and larger on average.
        `se_mc_se` of an estimate says how much another seed would change its standard error (docs/how-many-fits.md).
    stratified : bool or "fixed", default True
        Deal the cases of each class to the folds separately. The bootstrap draws all cases together, so that training
        sets vary in their class sizes as samples do, unless a class has fewer than 20 cases. "fixed" says that the
        class sizes were fixed by design (a case-control study): draws keep them, and standard errors too.

    Examples
    --------
    >>> import trueness
    >>> trueness.CvBootstrap().draw([0] * 30 + [1] * 30, rng=0).n_fits
    200
    """

    n_folds: int = 10
    repeats: int = 10
    n_resamples: int | None = None
    stratified: Stratified = True
    kind = "cv+bootstrap"
    form = "cv+bootstrap"
    least = {"n_folds": 2, "repeats": 2, "n_resamples": 2}

    @classmethod
    def of_fits(cls, fits: int, sample: Sample) -> CvBootstrap:
        """The plan with this number of fits for these cases, at least 60: a third of them are whole repeats of the
        cross-validation, at least two, the others bootstrap samples. That of more fits begins with that of fewer.

        Examples
        --------
        >>> import trueness
        >>> sample = trueness.sample.Sample.of([0] * 30 + [1] * 30)
        >>> trueness.CvBootstrap.of_fits(60, sample)
        CvBootstrap(n_folds=10, repeats=2, n_resamples=40, stratified=True)
        """
        check_whole("fits", fits, LEAST_FITS)
        folds = cls().folds_of(sample)
        repeats = max(2, fits // (SHARE_OF_FOLDS * folds))
        return cls(repeats=repeats, n_resamples=fits - repeats * folds)

    def folds_of(self, sample: Sample) -> int:
        """Folds for these cases: fewer than asked for where a class or the groups are few."""
        return self._plans(sample)[0].n_folds

    def within(self, fits: int, sample: Sample) -> CvBootstrap:
        bootstrap = self._plans(sample)[1]
        some = self.of_fits(max(LEAST_FITS, fits), sample)
        replicates = min(p.n_resamples for p in (bootstrap, some) if p.n_resamples is not None)
        return replace(self, repeats=min(self.repeats, some.repeats), n_resamples=replicates)

    def longer(self, n: int, design: Design) -> CvBootstrap:
        """n more repeats, and as many more replicates as they have fits, so that both parts grow together."""
        folds, replicates = design.parts[0].n_folds, design.parts[1].n_fits
        return replace(self, repeats=self.repeats + n, n_resamples=replicates + n * folds)

    def in_words(self, n_fits: int | None = None) -> str:
        return f"{self.n_folds}-fold cross-validation, {self.repeats} times, and {self.n_resamples or ''} bootstrap samples"

    def _plans(self, sample: Sample) -> tuple[KFold, Bootstrap]:
        _, codes, _ = units_of(sample)
        stratified = bool(self.stratified) and sample.groups_are_pure
        smallest = min(len(stratum) for stratum in strata_of(codes, stratified))
        if sample.groups is not None and not sample.groups_are_pure:
            smallest = min(len(np.unique(sample.groups[sample.codes == c])) for c in np.flatnonzero(sample.sizes))
        if smallest < 2:
            raise InputError("Cross-validation needs at least 2 cases or groups of each class", param="y", got=smallest)
        replicates = self.n_resamples or max(100, min(math.ceil(3 * math.sqrt(sample.n)), MAX_SCORES // sample.n))
        within: Stratified = self.stratified
        if self.stratified is True and smallest >= MIN_CLASS_FOR_PLAIN_DRAWS:
            within = False
        folds = min(self.n_folds, smallest)
        if not sample.groups_are_pure:  # cases of different groups are compared: a fold has at least three
            folds = min(folds, max(2, len(codes) // GROUPS_PER_FOLD))
        return KFold(folds, self.repeats, self.stratified), Bootstrap(replicates, within)

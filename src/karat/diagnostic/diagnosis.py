"""Diagnosis: a table of two classes and everything that is read off it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from karat.diagnostic.costs import cost_matrix
from karat.diagnostic.designs import Selected, StudyDesign
from karat.diagnostic.four_regions import FourRegions, four_regions
from karat.diagnostic.measured import measured, with_influence
from karat.diagnostic.measures import MEASURES, Measure, called, check_beta, cost, f_beta
from karat.diagnostic.post_test import PostTest, post_test
from karat.diagnostic.proportion import check_level
from karat.diagnostic.region import likelihood_boundary
from karat.diagnostic.report import TableReport
from karat.diagnostic.versus import Versus
from karat.errors import InputError
from karat.result import Estimate, Interval

NAMES = ("negative", "positive")


@dataclass(frozen=True, eq=False)
class Diagnosis(TableReport):
    """What `karat.diagnose` returns for two classes. Every measure is an Estimate: `d.tpf.value`, `d.tpf.ci(0.95)`.

    Attributes
    ----------
    design
        How the table came about; holds the counts.
    interval
        Method of the intervals of plain proportions; the others have the one that holds best for them.
    classes
        The labels: negative, positive.
    cells
        (n,) where each case stands in the table, if labels were given: what pairs two tests of the same cases.
    """

    design: StudyDesign
    interval: str = "wilson"
    classes: tuple[Any, ...] = NAMES
    cells: np.ndarray | None = field(default=None, repr=False)

    # -- counts ------------------------------------------------------------------------------------------------

    @property
    def tn(self) -> int:
        return int(self.design.table[0, 0])

    @property
    def fp(self) -> int:
        return int(self.design.table[0, 1])

    @property
    def fn(self) -> int:
        return int(self.design.table[1, 0])

    @property
    def tp(self) -> int:
        return int(self.design.table[1, 1])

    @property
    def n(self) -> int:
        return self.design.n

    # -- measures ----------------------------------------------------------------------------------------------

    def _of(self, measure: Measure) -> Estimate:
        estimate = measured(self.design, measure, self.interval, NAMES)
        return with_influence(estimate, self.design, measure, self.cells)

    def __getitem__(self, name: str) -> Estimate:
        """A measure by its name or by any that others use: d["tpf"], d["sensitivity"], d["LR+"]."""
        known = called(name)
        if known is None:
            raise InputError(f"there is no measure {name!r}", fix=f"Choose one of {', '.join(MEASURES)}")
        return self._of(MEASURES[known])

    def __getattr__(self, name: str) -> Any:
        known = called(name)
        hint = f"{name} is called {known} here: use .{known} or [{name!r}]" if known else f"there is no {name!r}"
        raise AttributeError(f"{type(self).__name__}: {hint}", name=name, obj=self)

    def __iter__(self) -> Iterator[str]:
        return iter(MEASURES)

    @property
    def tpf(self) -> Estimate:
        """True positive fraction: sensitivity, recall."""
        return self["tpf"]

    @property
    def fpf(self) -> Estimate:
        """False positive fraction: 1 − specificity."""
        return self["fpf"]

    @property
    def tnf(self) -> Estimate:
        """True negative fraction: specificity."""
        return self["tnf"]

    @property
    def fnf(self) -> Estimate:
        """False negative fraction: miss rate."""
        return self["fnf"]

    @property
    def ppv(self) -> Estimate:
        """Positive predictive value: precision."""
        return self["ppv"]

    @property
    def npv(self) -> Estimate:
        """Negative predictive value."""
        return self["npv"]

    @property
    def dlr_positive(self) -> Estimate:
        """Positive diagnostic likelihood ratio, TPF / FPF."""
        return self["dlr_positive"]

    @property
    def dlr_negative(self) -> Estimate:
        """Negative diagnostic likelihood ratio, (1 − TPF) / (1 − FPF)."""
        return self["dlr_negative"]

    @property
    def odds_ratio(self) -> Estimate:
        """Diagnostic odds ratio, DLR+ / DLR−."""
        return self["odds_ratio"]

    @property
    def accuracy(self) -> Estimate:
        return self["accuracy"]

    @property
    def error(self) -> Estimate:
        return self["error"]

    @property
    def balanced_accuracy(self) -> Estimate:
        """(TPF + TNF) / 2."""
        return self["balanced_accuracy"]

    @property
    def youden(self) -> Estimate:
        """TPF − FPF."""
        return self["youden"]

    @property
    def mcc(self) -> Estimate:
        """Matthews' correlation coefficient."""
        return self["mcc"]

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa."""
        return self["kappa"]

    @property
    def f1(self) -> Estimate:
        """Harmonic mean of PPV and TPF."""
        return self["f1"]

    @property
    def prevalence(self) -> Estimate:
        return self["prevalence"]

    def f_beta(self, beta: float) -> Estimate:
        """F_β  (seeds/001, eq. 21); β = 0 is the PPV, β = ∞ the TPF."""
        check_beta(beta)
        return self._of(f_beta(beta))

    def cost(self, matrix: Any) -> Estimate:
        """Mean cost a case, Σ c_ij P(i, j)  (seeds/001, eq. 14).

        Parameters
        ----------
        matrix
            matrix[i][j] is the cost of deciding j where the truth is i, classes in the order negative, positive
            (seeds/001, eq. 13).
        """
        return self._of(cost(cost_matrix(matrix, 2)))

    # -- the two fractions together ----------------------------------------------------------------------------

    def joint_region(self, level: float = 0.95) -> tuple[Interval, Interval]:
        """Rectangle ((fpf_low, fpf_high), (tpf_low, tpf_high)) that holds both with this confidence.

        Positives and negatives are different cases, so the two intervals are independent and each is taken at
        √level: 1 − α = (1 − α*)²  (seeds/003; MATH 7).
        """
        check_level(level)
        return self.fpf.ci(level**0.5), self.tpf.ci(level**0.5)

    def likelihood_region(self, level: float = 0.95, n_points: int = 181) -> np.ndarray:
        """(n_points, 2) the boundary (fpf, tpf) of the joint likelihood region: a rectangle without its corners.

        All (FPF, TPF) with 2 (ℓ(estimate) − ℓ) ≤ χ²(level, 2 df).
        """
        check_level(level)
        if not (self.fpf.plain and self.tpf.plain):
            raise InputError(
                f"the likelihood region needs plain fractions, and those of a {self.design.name} study are corrected "
                "ones (or there are no cases of a class)",
                fix="Use joint_region",
            )
        (x0, n0), (x1, n1) = (MEASURES[name].trials(self.design.table) for name in ("fpf", "tpf"))
        return likelihood_boundary((x0, x1), (n0, n1), level, n_points)

    def post_test(self, pre_test: Any) -> PostTest:
        """P(positive class) after a positive and after a negative result, from that before the test.

        logit P(after) = logit P(before) + ln DLR±  (seeds/003). `pre_test` as `prevalence` of `diagnose`.
        """
        return post_test(self.dlr_positive, self.dlr_negative, pre_test)

    def versus(self, other: Diagnosis, paired: bool = True) -> Versus:
        """This test against another: differences (this − other) and ratios of TPF, FPF, PPV, NPV, DLR+, DLR−.

        `paired`: both were made by `diagnose(y, predictions)` on the same cases in the same order; False: on two
        independent samples.
        """
        return Versus(self, other, paired)

    def four_regions(self, current: Any, level: float = 0.95, paired: bool = True) -> FourRegions:
        """Is this (new) test better than the current one? Where it lies among four regions  (seeds/003).

        Better, worse, or better in one thing and worse in the other; by TPF and FPF, and by DLR+ and DLR−. `verdict`
        says what is shown at this level and, apart from it, what the estimates alone say.

        Parameters
        ----------
        current
            A Diagnosis of the current test (`paired` as in `versus`), or its point (fpf, tpf), taken as known.
        """
        return four_regions(self, current, level, paired)

    def plot_fagan(self, pre_test: Any, ax: Any = None, level: float = 0.95) -> Any:
        """Fagan's nomogram from this probability before the test; returns the axes."""
        from karat.plots.fagan import FaganDisplay

        return FaganDisplay(self, pre_test, level).plot(ax)

    def _rows(self) -> list[Estimate]:
        return [self[name] for name in self]

    def _heading(self) -> str:
        lines = [f"TP {self.tp}  FN {self.fn}  FP {self.fp}  TN {self.tn}  ({self.design.name} study)"]
        if self.classes != NAMES:
            lines.append(f"Positive: {self.classes[1]}, negative: {self.classes[0]}")
        if isinstance(self.design, Selected):
            negative, positive = self.design.unverified.tolist()
            lines.append(f"Not verified: {positive} decided positive, {negative} decided negative")
        return "\n".join(lines)

    def _facts(self) -> dict[str, Any]:
        facts = {"tp": self.tp, "fn": self.fn, "fp": self.fp, "tn": self.tn, "design": self.design.name}
        facts |= {"positive": str(self.classes[1]), "negative": str(self.classes[0])}
        if isinstance(self.design, Selected):
            negative, positive = self.design.unverified.tolist()
            facts |= {"unverified_positive": positive, "unverified_negative": negative}
        return facts

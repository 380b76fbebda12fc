"""How many cases a prediction model needs, to be developed and to be validated: the criteria of Riley et al.

The smallest number that meets all criteria is the answer; which of them decides is said. Expectations over the linear
predictor are integrals, where the R packages pmsampsize and pmvalsampsize simulate.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy import special, stats

from trueness.checks import check_whole, is_number, number_array
from trueness.comparisons.registry import check_inside
from trueness.errors import InputError
from trueness.formulas.intervals import quantile
from trueness.formulas.mcnemar import smallest
from trueness.result.columns import Column, Columns
from trueness.result.shown import Table
from trueness.result.test_result import SampleSize
from trueness.typing import Floats

Z = quantile(0.95)
CLOSE = 0.05  # of R² and of the overall risk, as Riley et al. recommend
NET_BENEFIT_WIDTH = 0.2
NODES = 200  # of the integrals over a normal linear predictor


@dataclass(frozen=True, repr=False)
class ModelSize(SampleSize):
    """How many cases a prediction model needs.

    Attributes
    ----------
    goal : str
        What the cases are for.
    n : int
        The largest number of all criteria.
    criteria : mapping of str to int
        Cases that each criterion needs.
    events : float, optional
        Expected positives among n cases.
    """

    criteria: Mapping[str, int] = field(default_factory=dict)
    events: float | None = None

    columns: ClassVar[Columns] = {name: Column("") for name in ("goal", "n", "events", "criteria")}
    template = "{goal}: {n} cases, by the criterion: {deciding}."

    @property
    def deciding(self) -> str:
        """The criterion that needs most cases."""
        return max(self.criteria, key=lambda name: self.criteria[name])

    def _tables(self) -> tuple[Table, ...]:
        return (Table(("criterion", "cases"), [(name, str(n)) for name, n in self.criteria.items()]),)


def _model_size(
    goal: str, criteria: dict[str, int], prevalence: float | None, assumptions: tuple[str, ...]
) -> ModelSize:
    n = max(criteria.values())
    events = None if prevalence is None else n * prevalence
    return ModelSize(goal, n, assumptions=assumptions, criteria=criteria, events=events)


def size_for_development(
    parameters: int,
    *,
    prevalence: float | None = None,
    r2: float | None = None,
    auc: float | None = None,
    mean: float | None = None,
    sd: float | None = None,
    shrinkage: float = 0.9,
) -> ModelSize:
    """Number of cases to develop a prediction model, for two classes (`prevalence`) or a number (`mean` and `sd`).

    Two classes (Riley et al. 2019, part II): (i) expected shrinkage S of at least `shrinkage`,
    n = P/((S − 1) ln(1 − R²/S)) (eq. 11); (ii) the same with S = R²/(R² + .05 max R²) (eq. 12), so that the
    apparent Nagelkerke R² is too large by .05 at most; (iii) the overall risk within ± .05.

    A number (Riley et al. 2019, part I): (i) shrinkage; (ii) R² too large by .05 at most; (iii) the residual SD
    and (iv) the mean within 10 % of their values.

    Parameters
    ----------
    parameters : int
        Candidate predictor parameters P: regression coefficients that may enter, not variables.
    prevalence : float, optional
        Expected share of positives.
    r2 : float, optional
        Expected R², of two classes Cox and Snell's; adjusted for optimism, from an earlier model.
    auc : float, optional
        In place of `r2`: the AUC of an earlier model. R² is that of two normal classes of a common variance (Riley,
        Van Calster & Collins 2021).
    mean, sd : float, optional
        Expected mean and SD of the number that is predicted.
    shrinkage : float, default 0.9
        Least expected shrinkage factor.

    Returns
    -------
    ModelSize
        `.n`, `.criteria`, `.events`.

    References
    ----------
    Riley, Snell, Ensor, Burke, Harrell, Moons & Collins (2019), Statistics in Medicine 38, parts I and II; Riley et al.
    (2020), BMJ 368, m441; Riley, Van Calster & Collins (2021), Statistics in Medicine 40.

    Examples
    --------
    The example of the R package pmsampsize:

    >>> s = size_for_development(24, prevalence=0.174, r2=0.288)
    >>> s.n, list(s.criteria.values())
    (662, [623, 662, 221])
    """
    check_whole("parameters", parameters, 1)
    check_inside("shrinkage", shrinkage, 0, 1)
    if prevalence is None:
        return _of_number(parameters, r2, mean, sd, shrinkage)
    check_inside("prevalence", prevalence, 0, 1)
    if (r2 is None) == (auc is None) or mean is not None or sd is not None:
        raise InputError("Two classes are described by r2 or auc", param="prevalence", fix="Pass one of them alone")
    if auc is not None:
        check_inside("auc", auc, 0.5, 1)
        r2 = round(cox_snell_r2(auc, prevalence), 4)
    assert r2 is not None
    most = 1 - math.exp(-2 * float(_entropy(prevalence)))
    check_inside("r2", r2, 0, min(most, shrinkage))  # no R² at this prevalence is larger
    close = r2 / (r2 + CLOSE * most)
    criteria = {
        f"shrinkage of at least {shrinkage:g}": _for_shrinkage(parameters, r2, shrinkage),
        f"R² too large by at most {CLOSE:g}": _for_shrinkage(parameters, r2, close),
        f"overall risk within ± {CLOSE:g}": math.ceil((Z / CLOSE) ** 2 * prevalence * (1 - prevalence) - 1e-9),
    }
    goal = f"Development of a model of {parameters} parameters, prevalence {prevalence:g}"
    assumptions = (f"Cox and Snell's R² is {r2:.4g}.", "the model is fitted by maximum likelihood.")
    return _model_size(goal, criteria, prevalence, assumptions)


def _for_shrinkage(parameters: int, r2: float, shrinkage: float) -> int:
    """Riley et al. (2019, part II), eq. 11."""
    return math.ceil(parameters / ((shrinkage - 1) * math.log(1 - r2 / shrinkage)) - 1e-9)


def cox_snell_r2(auc: float, prevalence: float) -> float:
    """1 − exp(−2 I), I the information of a score that is normal in both classes with this AUC (Riley et al. 2021).

    >>> round(cox_snell_r2(0.89, 0.174), 3)
    0.291
    """
    points, weights = _predictor(None, auc, prevalence)
    left = float(weights @ _entropy(special.expit(points)))
    return 1 - math.exp(-2 * (float(_entropy(prevalence)) - left))


def _entropy(p: float | Floats) -> Floats:
    return np.asarray(special.entr(p) + special.entr(np.subtract(1, p)))


def _nodes(mean: float, sd: float) -> tuple[Floats, Floats]:
    """Points and weights of an integral over a normal law."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return mean + sd * nodes, weights / weights.sum()


def _of_number(parameters: int, r2: float | None, mean: float | None, sd: float | None, shrinkage: float) -> ModelSize:
    check_inside("r2", r2, 0, 1)
    check_inside("sd", sd)
    check_inside("mean", abs(mean) if is_number(mean) else mean)
    assert r2 is not None and mean is not None and sd is not None  # noqa: PT018 - for mypy

    def shrunk(n: int) -> float:  # Riley et al. (2019, part I), eq. 5, with the apparent R² in place of the adjusted
        apparent = (r2 * (n - parameters - 1) + parameters) / (n - 1)
        return 1 + (parameters - 2) / (n * math.log(1 - apparent))

    first = smallest(lambda n: shrunk(n) >= shrinkage, parameters + 2)
    # a margin of 10 %, max(χ²_.975/df, df/χ²_.025) ≤ 1.1² (part I, eq. 10): 233 degrees of freedom
    spread = smallest(lambda df: df / float(stats.chi2.ppf(0.025, df)) <= 1.1**2, 2)
    criteria = {
        f"shrinkage of at least {shrinkage:g}": first,
        f"R² too large by at most {CLOSE:g}": math.ceil(1 + parameters * (1 - r2) / CLOSE - 1e-9),
        "residual SD within 10 %": spread + parameters + 1,
    }

    def precise(n: int) -> bool:
        half = float(stats.t.ppf(0.975, n - parameters - 1)) * sd * math.sqrt((1 - r2) / n)
        return half <= 0.1 * abs(mean)

    criteria["mean within 10 %"] = smallest(precise, parameters + 2)
    goal = f"Development of a model of {parameters} parameters for a number"
    return _model_size(goal, criteria, None, (f"R² is {r2:g}, mean {mean:g} and SD {sd:g}.",))


def size_for_validation(
    prevalence: float,
    auc: float,
    *,
    linear_predictor: tuple[float, float] | None = None,
    o_e_width: float = 0.2,
    slope_width: float = 0.2,
    auc_width: float = 0.1,
    threshold: float | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
) -> ModelSize:
    """Number of cases to validate a prediction model of two classes: intervals that are as short as is wanted.

    (i) O/E: se(ln O/E) = √((1 − φ)/(n φ)) (eq. 3). (ii) Calibration slope: n = I_0/(se² (I_0 I_2 − I_1²)), I_k the mean of
    LP^k p (1 − p) over the linear predictor (eq. 7). (iii) AUC: Newcombe's variance (2006; eq. 9). (iv) With `threshold`:
    standardized net benefit (eq. 11). All widths are of 95 % intervals.

    Parameters
    ----------
    prevalence : float
        Expected share φ of positives.
    auc : float
        Expected AUC.
    linear_predictor : (mean, SD), optional
        Of the model's log-odds in the population, normal. By default two normal classes with this AUC and prevalence.
    o_e_width, slope_width, auc_width : float
        Widths of the intervals: of O/E, of the slope, of the AUC.
    threshold : float, optional
        Risk at which the net benefit is wanted, with an interval of width 0.2.
    sensitivity, specificity : float, optional
        At that threshold; by default those of the linear predictor.

    Returns
    -------
    ModelSize

    References
    ----------
    Riley, Debray, Collins, Archer, Ensor, van Smeden & Snell (2021), Statistics in Medicine 40; Newcombe (2006),
    Statistics in Medicine 25.

    Examples
    --------
    Heart valves (Riley et al. 2021); pmvalsampsize, which simulates and goes in steps, has 905, 4546 and 4252:

    >>> s = size_for_validation(0.018, 0.8, linear_predictor=(-5, 2.5), o_e_width=1)
    >>> list(s.criteria.values())
    [906, 4554, 4252]
    """
    check_inside("prevalence", prevalence, 0, 1)
    check_inside("auc", auc, 0.5, 1)
    for name, value in {"o_e_width": o_e_width, "slope_width": slope_width, "auc_width": auc_width}.items():
        check_inside(name, value)
    points, weights = _predictor(linear_predictor, auc, prevalence)
    spread = special.expit(points) * special.expit(-points)
    i0, i1, i2 = (float(weights @ (spread * points**k)) for k in range(3))

    def variance_of_auc(n: int) -> float:  # Newcombe (2006), as Riley et al. (2021), eq. 9
        more = (n / 2 - 1) * ((1 - auc) / (2 - auc) + auc / (1 + auc))
        return auc * (1 - auc) * (1 + more) / (n**2 * prevalence * (1 - prevalence))

    se_o_e = math.asinh(o_e_width / 2) / Z  # width 2 · O/E · sinh(z se), O/E = 1
    criteria = {
        f"O/E, width {o_e_width:g}": math.ceil((1 - prevalence) / (prevalence * se_o_e**2) - 1e-9),
        f"calibration slope, width {slope_width:g}": math.ceil(
            i0 / ((slope_width / (2 * Z)) ** 2 * (i0 * i2 - i1**2)) - 1e-9
        ),
        f"AUC, width {auc_width:g}": smallest(lambda n: 2 * Z * math.sqrt(variance_of_auc(n)) <= auc_width, 4),
    }
    if not threshold is sensitivity is specificity is None:
        check_inside("threshold", threshold, 0, 1)
        assert threshold is not None
        called = points >= math.log(threshold / (1 - threshold))
        of_positives, of_negatives = weights * special.expit(points), weights * special.expit(-points)
        hit = float(of_positives @ called / of_positives.sum()) if sensitivity is None else sensitivity
        spared = float(of_negatives @ ~called / of_negatives.sum()) if specificity is None else specificity
        check_inside("sensitivity", hit, 0, 1, ends=True)
        check_inside("specificity", spared, 0, 1, ends=True)
        w = (1 - prevalence) / prevalence * threshold / (1 - threshold)
        variance = hit * (1 - hit) / prevalence + w**2 * spared * (1 - spared) / (1 - prevalence)
        variance += w**2 * (1 - spared) ** 2 / (prevalence * (1 - prevalence))
        n = math.ceil(variance / (NET_BENEFIT_WIDTH / (2 * Z)) ** 2 - 1e-9)
        criteria[f"standardized net benefit at {threshold:g}, width {NET_BENEFIT_WIDTH:g}"] = n
    goal = f"Validation of a model, prevalence {prevalence:g}, AUC {auc:g}"
    return _model_size(goal, criteria, prevalence, ("the linear predictor is as given, and the model is calibrated.",))


def _predictor(given: tuple[float, float] | None, auc: float, prevalence: float) -> tuple[Floats, Floats]:
    """Points and weights of the linear predictor in the population."""
    if given is not None:
        found = number_array("linear_predictor", given)
        if found.shape != (2,) or not np.isfinite(found).all() or not found[1] > 0:
            raise InputError("linear_predictor must be (mean, SD)", param="linear_predictor", got=repr(given))
        return _nodes(float(found[0]), float(found[1]))
    variance = 2 * float(special.ndtri(auc)) ** 2  # log-odds of two normal classes: their means are one variance apart
    low = math.log(prevalence / (1 - prevalence)) - variance / 2
    (x0, w0), (x1, w1) = (_nodes(m, math.sqrt(variance)) for m in (low, low + variance))
    return np.concatenate([x0, x1]), np.concatenate([(1 - prevalence) * w0, prevalence * w1])

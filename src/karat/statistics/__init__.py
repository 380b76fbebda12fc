"""Bias, standard error and influence of any statistic: by resampling, by deleting, by moving masses.

bootstrap   draw the cases again, with replacement            (seeds/000, eq. 10–13)
jackknife   take each case away in turn                       (seeds/000, eq. 15–19)
influence   give each case a little more mass, and less       (seeds/000, eq. 22–24, 73–78)
"""

from karat.statistics.delete import jackknife
from karat.statistics.perturb import influence
from karat.statistics.resample import bootstrap
from karat.statistics.results import BootstrapEstimate, InfluenceEstimate, JackknifeEstimate

__all__ = ["BootstrapEstimate", "InfluenceEstimate", "JackknifeEstimate", "bootstrap", "influence", "jackknife"]

"""Bias, standard error and influence of any statistic.

bootstrap   resample the cases with replacement        (Yousef, ML Assessment, eq. 10–13)
jackknife   delete each case in turn                   (Yousef, ML Assessment, eq. 15–19)
influence   move a little probability mass to a case   (Yousef, ML Assessment, eq. 22–24, 73–78)
"""

from trueness.statistics.cases import BootstrapEstimate, InfluenceEstimate, JackknifeEstimate
from trueness.statistics.resampling import bootstrap, influence, jackknife

__all__ = ["BootstrapEstimate", "InfluenceEstimate", "JackknifeEstimate", "bootstrap", "influence", "jackknife"]

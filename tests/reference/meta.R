# Random-effects meta-analysis by metafor: the BCG vaccine trials (Colditz et al. 1994), and AUCs of sites on the logit scale.
# Rscript tests/reference/meta.R > tests/reference/meta.json     (Debian: r-cran-metafor, r-cran-jsonlite)
suppressMessages({library(metafor); library(jsonlite)})

told <- function(yi, vi) {
  out <- list(yi = as.numeric(yi), vi = as.numeric(vi))
  for (method in c("DL", "REML")) {
    control <- if (method == "REML") list(threshold = 1e-13, maxiter = 10000) else list()
    m <- rma(yi, vi, method = method, test = "adhoc", control = control)
    p <- predict(m)
    out[[tolower(method)]] <- list(
      mean = as.numeric(m$beta), se = m$se, low = m$ci.lb, high = m$ci.ub, tau2 = m$tau2, i2 = m$I2 / 100,
      q = m$QE, p = m$QEp, tau2_high = confint(m)$random["tau^2", "ci.ub"], pi_low = p$pi.lb, pi_high = p$pi.ub)
  }
  out
}

bcg <- escalc(measure = "RR", ai = tpos, bi = tneg, ci = cpos, di = cneg, data = dat.bcg)
auc <- c(.72, .81, .78, .69, .85, .74, .77)
se <- c(.03, .02, .05, .04, .03, .06, .025)
write(toJSON(list(
  source = paste("R", getRversion(), "metafor", packageVersion("metafor")),
  bcg = told(bcg$yi, bcg$vi),
  sites = c(list(auc = auc, se = se), told(qlogis(auc), (se / (auc * (1 - auc)))^2)),
  alike = told(c(.1, .11, .09, .1), c(.04, .05, .03, .06))
), auto_unbox = TRUE, digits = 15), stdout())

# Jackknife and empirical influence values, bootstrap standard error and intervals of R's boot.
#   Rscript boot_statistics.R > boot_statistics.json
# The resampled rows are written down, so that the same resamples can be used elsewhere.
suppressMessages({library(boot); library(jsonlite)})
set.seed(11)

# ratio of means: Efron's city data (boot); correlation: the law schools (law in Efron & Tibshirani 1993, table 3.1)
law <- data.frame(LSAT = c(576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594),
                  GPA = c(3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96))

of <- function(name, data, by_rows, by_weights) {
  R <- 999
  b <- boot(data, by_rows, R = R, stype = "i")
  jack <- empinf(data = data, statistic = by_rows, stype = "i", type = "jack")
  infl <- empinf(data = data, statistic = by_weights, stype = "w", type = "inf", eps = 1e-5)
  L <- jack - mean(jack)  # boot leaves its jackknife values uncentred; Efron & Tibshirani (1993, eq. 14.15) centre them
  ci <- boot.ci(b, conf = 0.9, type = c("perc", "bca"), L = L)
  list(name = name, data = as.matrix(data), value = b$t0, rows = boot.array(b, indices = TRUE) - 1,
       mean = mean(b$t), se = sd(b$t), jack = jack, influence = infl,
       acceleration = sum(L^3) / (6 * sum(L^2)^1.5), z0 = qnorm(mean(b$t < b$t0)),
       percentile_ranks = ci$percent[2:3], percentile = ci$percent[4:5], bca_ranks = ci$bca[2:3], bca = ci$bca[4:5])
}
weighted_cor <- function(d, w) corr(as.matrix(d), w / sum(w))
cat(toJSON(list(made_with = paste(R.version.string, "boot", packageVersion("boot")), sets = list(
  of("city ratio", city, function(d, i) mean(d$x[i]) / mean(d$u[i]), function(d, w) sum(d$x * w) / sum(d$u * w)),
  of("law correlation", law, function(d, i) cor(d$LSAT[i], d$GPA[i]), weighted_cor)
)), digits = NA, auto_unbox = TRUE))

# Measures of a table by R. Run in this folder:  Rscript diagnostic.R > diagnostic.json
# R 4.2.2, epiR 2.0.57: epi.tests for likelihood ratios (log-Wald).
suppressWarnings(suppressMessages({library(epiR); library(jsonlite)}))
tables <- list(c(10, 5, 24, 61), c(40, 10, 20, 30), c(3, 1, 7, 200), c(90, 12, 5, 93), c(231, 27, 32, 54))
one <- function(k) {  # tp fn fp tn
  m <- matrix(c(k[1], k[3], k[2], k[4]), 2, byrow = TRUE)
  t <- epi.tests(as.table(m), conf.level = 0.95)$detail
  get <- function(name) as.numeric(unlist(t[t$statistic == name, c("est", "lower", "upper")]))
  or <- k[1] * k[4] / (k[2] * k[3])
  list(tp = k[1], fn = k[2], fp = k[3], tn = k[4], lr_pos = get("lr.pos"), lr_neg = get("lr.neg"),
       ppv_exact = get("pv.pos"), npv_exact = get("pv.neg"), se_exact = get("se"), sp_exact = get("sp"),
       odds_ratio = c(or, exp(log(or) + c(-1, 1) * qnorm(.975) * sqrt(sum(1 / k)))))
}
lines <- sapply(tables, function(k) toJSON(one(k), digits = I(15), auto_unbox = TRUE))
cat("[\n", paste(lines, collapse = ",\n"), "\n]\n", sep = "")

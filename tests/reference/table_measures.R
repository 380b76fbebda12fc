# Standard errors of measures of a table and of average precision, by the empirical influence values of package boot.
# Run in this folder:  Rscript table_measures.R > table_measures.json
# R 4.2.2, boot 1.3-28.1: empinf(type = "inf"), a numerical derivative in the weights of the cases.
suppressMessages({library(boot); library(jsonlite)})
measures <- list(
  ppv = function(y, p, w) sum(w[y & p]) / sum(w[p]),
  npv = function(y, p, w) sum(w[!y & !p]) / sum(w[!p]),
  f1 = function(y, p, w) 2 * sum(w[y & p]) / (sum(w[y]) + sum(w[p])),
  mcc = function(y, p, w) cov.wt(cbind(y, p), as.numeric(w) / sum(w), cor = TRUE)$cor[1, 2],
  kappa = function(y, p, w) {
    w <- w / sum(w); a <- sum(w[y]); b <- sum(w[p]); e <- a * b + (1 - a) * (1 - b)
    (sum(w[y == p]) - e) / (1 - e)
  },
  balanced_accuracy = function(y, p, w) sum(w[y & p]) / sum(w[y]) / 2 + sum(w[!y & !p]) / sum(w[!y]) / 2
)
se <- function(data, f) {
  L <- empinf(data = data, statistic = f, type = "inf", stype = "w", eps = 1e-6)
  c(f(data, rep(1 / nrow(data), nrow(data))), sqrt(sum(L^2)) / nrow(data))
}
tables <- list(c(10, 5, 24, 61), c(40, 10, 20, 30), c(3, 1, 7, 200), c(90, 12, 5, 93), c(231, 27, 32, 54))
one <- function(k) {  # tp fn fp tn
  data <- data.frame(y = rep(c(TRUE, TRUE, FALSE, FALSE), k), p = rep(c(TRUE, FALSE, TRUE, FALSE), k))
  c(list(tp = k[1], fn = k[2], fp = k[3], tn = k[4]),
    lapply(measures, function(f) se(data, function(d, w) f(d$y, d$p, w))))
}
y3 <- rep(1:3, c(30, 25, 20))
p3 <- c(rep(1:3, c(20, 6, 4)), rep(1:3, c(5, 17, 3)), rep(1:3, c(1, 4, 15)))
several <- data.frame(y = y3, p = p3)
macro <- function(d, w) mean(sapply(1:3, function(c) measures$f1(d$y == c, d$p == c, w)))
kappa3 <- function(d, w) {
  w <- w / sum(w); e <- sum(sapply(1:3, function(c) sum(w[d$y == c]) * sum(w[d$p == c])))
  (sum(w[d$y == d$p]) - e) / (1 - e)
}
scores <- c(9, 8, 8, 7, 6, 6, 5, 4, 4, 3, 2, 1, 0, 0, -1, -2, -3, -3, -4, -5)
truth <- c(1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0) == 1
precision <- function(d, w) {
  at <- sapply(d$s, function(s) sum(w[d$y & d$s >= s]) / sum(w[d$s >= s]))
  sum((w * at)[d$y]) / sum(w[d$y])
}
out <- list(tables = lapply(tables, one), y = y3, p = p3, macro_f1 = se(several, macro), kappa = se(several, kappa3),
            scores = scores, truth = as.integer(truth),
            average_precision = se(data.frame(y = truth, s = scores), precision))
cat(toJSON(out, digits = I(12), auto_unbox = TRUE), "\n")

# Intervals of a proportion by R. Run in this folder:  Rscript proportions.R > proportions.json
# R 4.2.2, Hmisc 4.8.0. The package binom was not to be had here; its numbers for n = 10 stand in
# proportions_binom.json, as others printed them from it.
suppressWarnings(suppressMessages({library(Hmisc); library(jsonlite)}))
cases <- list(c(24, 85), c(10, 15), c(0, 20), c(20, 20), c(1, 1000), c(7, 12), c(3, 7), c(50, 100), c(999, 1000))
inner <- function(x, n) x > 0 && x < n
root <- function(f, a, b) uniroot(f, c(a, b), tol = 1e-14)$root
one <- function(x, n, level) {
  alpha <- 1 - level
  out <- list(x = x, n = n, level = level)
  out$hmisc_asymptotic <- binconf(x, n, alpha = alpha, method = "asymptotic")[2:3]
  out$hmisc_wilson <- binconf(x, n, alpha = alpha, method = "wilson")[2:3]   # changed by Hmisc at x = 1 and n - 1
  out$hmisc_exact <- binconf(x, n, alpha = alpha, method = "exact")[2:3]
  out$wilson <- suppressWarnings(prop.test(x, n, conf.level = level, correct = FALSE)$conf.int[1:2])
  out$exact <- binom.test(x, n, conf.level = level)$conf.int[1:2]
  out$jeffreys <- qbeta(c(alpha / 2, 1 - alpha / 2), x + .5, n - x + .5)
  out$uniform <- qbeta(c(alpha / 2, 1 - alpha / 2), x + 1, n - x + 1)
  if (inner(x, n)) {
    fit <- glm(cbind(x, n - x) ~ 1, family = binomial("logit"), control = list(epsilon = 1e-13, maxit = 100))
    out$logit <- plogis(suppressMessages(confint.default(fit, level = level)))[1:2]
    # the link cloglog of glm is ln(-ln(1 - q)): of the failures it is ln(-ln p)
    fit <- glm(cbind(n - x, x) ~ 1, family = binomial("cloglog"), control = list(epsilon = 1e-13, maxit = 100))
    q <- 1 - exp(-exp(confint.default(fit, level = level)))
    out$cloglog <- rev(1 - q[1:2])
  }
  fall <- function(p) 2 * (dbinom(x, n, x / n, log = TRUE) - dbinom(x, n, p, log = TRUE)) - qchisq(level, 1)
  mid <- function(p) pbinom(x, n, p, lower.tail = FALSE) + dbinom(x, n, p) / 2
  out$likelihood <- c(if (x == 0) 0 else root(fall, 1e-12, x / n), if (x == n) 1 else root(fall, x / n, 1 - 1e-12))
  out$mid_p <- c(if (x == 0) 0 else root(function(p) mid(p) - alpha / 2, 1e-12, x / n),
                 if (x == n) 1 else root(function(p) 1 - mid(p) - alpha / 2, x / n, 1 - 1e-12))
  out
}
rows <- list()
for (level in c(.95, .9)) for (k in cases) rows[[length(rows) + 1]] <- one(k[1], k[2], level)
lines <- sapply(rows, function(row) toJSON(row, digits = I(15), auto_unbox = TRUE))
cat("[\n", paste(lines, collapse = ",\n"), "\n]\n", sep = "")

# Reference numbers for trueness.comparisons. Run: Rscript tests/reference/comparisons.R > tests/reference/comparisons.json
# Needs pROC and jsonlite. The tests read the JSON only.
suppressPackageStartupMessages({library(pROC); library(jsonlite)})
set.seed(20061)
n1 <- 30; n2 <- 45
y <- c(rep(1, n1), rep(0, n2))
z <- rnorm(75)
s1 <- round(z + 2.0 * y + 0.8 * rnorm(75), 1)   # one decimal: ties within and between classes
s2 <- round(z + 0.7 * y + 0.9 * rnorm(75), 1)
s3 <- round(0.9 * y + rnorm(75), 1)
p1 <- as.integer(s1 > 1.0); p2 <- as.integer(s2 > 0.4); p3 <- as.integer(s3 > 0.4)
q <- function(...) suppressMessages(roc(..., direction = "<", levels = c(0, 1)))
r1 <- q(y, s1); r2 <- q(y, s2); r3 <- q(y, s3)

out <- list(version = paste("R", getRversion(), "pROC", packageVersion("pROC")))
out$data <- list(y = y, s1 = s1, s2 = s2, s3 = s3, p1 = p1, p2 = p2, p3 = p3)

t <- roc.test(r1, r2, method = "delong", paired = TRUE)
out$delong <- list(auc = c(r1$auc, r2$auc, r3$auc), statistic = unname(t$statistic), p = t$p.value, ci = t$conf.int,
                   less = roc.test(r1, r2, method = "delong", paired = TRUE, alternative = "less")$p.value)
# two independent sets: the first 20 + 30 cases of rule 1, the last 10 + 15 of rule 2
a <- c(1:20, 31:60); b <- c(21:30, 61:75)
t <- roc.test(q(y[a], s1[a]), q(y[b], s2[b]), method = "delong", paired = FALSE)
out$delong_unpaired <- list(statistic = unname(t$statistic), df = unname(t$parameter), p = t$p.value)
# three curves: chi-square by hand from pROC's covariances (DeLong et al. 1988, eq. 7)
rs <- list(r1, r2, r3)
S <- matrix(0, 3, 3)
for (i in 1:3) for (j in 1:3) S[i, j] <- if (i == j) var(rs[[i]], method = "delong") else cov(rs[[i]], rs[[j]], method = "delong")
L <- rbind(c(1, 0, -1), c(0, 1, -1)); theta <- c(r1$auc, r2$auc, r3$auc)
chi2 <- drop(t(L %*% theta) %*% solve(L %*% S %*% t(L)) %*% (L %*% theta))
out$delong_many <- list(statistic = chi2, p = pchisq(chi2, 2, lower.tail = FALSE))

set.seed(1)
t <- roc.test(r1, r2, method = "venkatraman", paired = TRUE, boot.n = 10000, progress = "none")
u <- s1 + 1e-6 * rnorm(75); v <- s2 + 1e-6 * rnorm(75)  # without ties the statistic has one value
w <- roc.test(q(y, u), q(y, v), method = "venkatraman", paired = TRUE, boot.n = 10000, progress = "none")
out$venkatraman <- list(p_ties = t$p.value, u = u, v = v, statistic = unname(w$statistic), p = w$p.value)
bt <- function(m, ...) { set.seed(2); x <- roc.test(r1, r2, method = m, paired = TRUE, boot.n = 10000, progress = "none", ...)
                         list(statistic = unname(x$statistic), p = x$p.value) }
out$bootstrap <- bt("bootstrap")
out$at_fpf <- c(bt("specificity", specificity = 0.83), difference = coords(r1, 0.83, "specificity", "sensitivity")[[1]] - coords(r2, 0.83, "specificity", "sensitivity")[[1]])
out$at_tpf <- c(bt("sensitivity", sensitivity = 0.78), difference = coords(r2, 0.78, "sensitivity", "specificity")[[1]] - coords(r1, 0.78, "sensitivity", "specificity")[[1]])
g1 <- q(y, s1, partial.auc = c(1, 0.8)); g2 <- q(y, s2, partial.auc = c(1, 0.8))
set.seed(3)
t <- roc.test(g1, g2, method = "bootstrap", paired = TRUE, boot.n = 10000, progress = "none")
out$partial_auc <- list(auc = c(g1$auc, g2$auc), statistic = unname(t$statistic), p = t$p.value)

# McNemar
counts <- function(x1, x2) c(b = sum(x1 == y & x2 != y), c = sum(x1 != y & x2 == y))
mc <- function(b, c, n) {
  M <- matrix(c(n - b - c, c, b, 0), 2)
  e <- binom.test(b, b + c)
  list(b = b, c = c, n = n,
       chi2 = unname(mcnemar.test(M, correct = FALSE)$statistic), p_chi2 = mcnemar.test(M, correct = FALSE)$p.value,
       cc = unname(mcnemar.test(M)$statistic), p_cc = mcnemar.test(M)$p.value,
       p_exact = e$p.value, p_less = pbinom(c, b + c, .5), odds_ci = e$conf.int / (1 - e$conf.int),
       p_midp = 2 * pbinom(min(b, c), b + c, .5) - dbinom(min(b, c), b + c, .5), tango = tango(c, b, n))
}
# Tango's interval from its definition: score test of p_x - p_y = delta with the restricted likelihood maximised numerically
tango <- function(x, y, n) {
  score <- function(d) {
    ll <- function(q) { p <- c(q + d, q, 1 - 2 * q - d); k <- c(x, y, n - x - y); if (any(p < 0)) -1e300 else sum(ifelse(k == 0, 0, k * log(p))) }
    lo <- max(0, -d); hi <- (1 - d) / 2
    qhat <- optimize(ll, c(lo, hi), maximum = TRUE, tol = 1e-13)$maximum
    (x - y - n * d) / sqrt(n * (2 * qhat + d - d^2))
  }
  z <- qnorm(.975); est <- (x - y) / n
  c(uniroot(function(d) score(d) - z, c(-.999, est), tol = 1e-12)$root, uniroot(function(d) score(d) + z, c(est, .999), tol = 1e-12)$root)
}
k <- counts(p1, p2)
out$mcnemar <- list(mc(unname(k["b"]), unname(k["c"]), 75), mc(12, 2, 50), mc(3, 9, 40), mc(40, 61, 400))

# over data sets
e1 <- c(.112, .084, .203, .151, .320, .095, .187, .260, .143, .075, .301, .222)
e2 <- c(.101, .052, .165, .149, .301, .110, .166, .221, .150, .062, .287, .204)
out$values <- list(e1 = e1, e2 = e2)
t <- t.test(e1, e2, paired = TRUE)
out$paired_t <- list(statistic = unname(t$statistic), df = unname(t$parameter), p = t$p.value, ci = t$conf.int,
                     greater = t.test(e1, e2, paired = TRUE, alternative = "greater")$p.value,
                     shapiro = shapiro.test(e1 - e2)$p.value, critical = c(qt(1 - .05 / 2, 6), qt(1 - .05, 6)))
d <- e1 - e2; J <- length(d)
nb <- mean(d) / sqrt((1 / J + 10 / 90) * var(d))
out$corrected_t <- list(statistic = nb, p = 2 * pt(-abs(nb), J - 1))
small <- c(0.05, -0.02, 0.04, 0.03, 0.01, 0.02)
ns <- mean(small) / sqrt((1 / 6 + 10 / 90) * var(small))
out$corrected_t_small <- list(statistic = ns, p = 2 * pt(-abs(ns), 5))
D <- matrix(c(.02, .05, -.01, .04, .03, .01, .06, .02, .00, .03), 5)
s2i <- apply(D, 1, var)
t5 <- D[1, 1] / sqrt(mean(s2i)); f5 <- sum(D^2) / (2 * sum(s2i))
out$five_by_two <- list(d = D, t = t5, p_t = 2 * pt(-abs(t5), 5), f = f5, p_f = pf(f5, 10, 5, lower.tail = FALSE))
w <- wilcox.test(e1, e2, paired = TRUE, exact = TRUE)
out$wilcoxon <- list(statistic = unname(w$statistic), p = w$p.value, less = wilcox.test(e1, e2, paired = TRUE, exact = TRUE, alternative = "less")$p.value,
                     greater = wilcox.test(e1, e2, paired = TRUE, exact = TRUE, alternative = "greater")$p.value,
                     hl = unname(wilcox.test(e1, e2, paired = TRUE, exact = TRUE, conf.int = TRUE)$estimate))
set.seed(4); big <- rnorm(250, .08); bw <- wilcox.test(big, exact = FALSE)
out$wilcoxon_large <- list(x = big, statistic = unname(bw$statistic), p = bw$p.value, greater = wilcox.test(big, exact = FALSE, alternative = "greater")$p.value)
out$sign <- list(p = binom.test(sum(d > 0), J)$p.value, greater = binom.test(sum(d > 0), J, alternative = "greater")$p.value)

set.seed(5)
T <- round(matrix(rnorm(40, rep(c(.80, .82, .83, .86), each = 10), .03), 10), 2)  # data sets x models, with ties
f <- friedman.test(T); N <- nrow(T); K <- ncol(T); X <- unname(f$statistic)
Fid <- (N - 1) * X / (N * (K - 1) - X)
R <- t(apply(-T, 1, rank)); M <- colMeans(R); se <- sqrt(K * (K + 1) / (6 * N))
nem <- outer(M, M, function(a, b) ptukey(abs(a - b) / se * sqrt(2), K, Inf, lower.tail = FALSE))
RS <- colSums(R); A <- sum(R^2)
con <- outer(RS, RS, function(a, b) 2 * pt(-abs(a - b) / sqrt(2 * (N * A - sum(RS^2)) / ((N - 1) * (K - 1))), (N - 1) * (K - 1)))
up <- upper.tri(con)
out$friedman <- list(table = T, chi2 = X, p = f$p.value, f = Fid, p_f = pf(Fid, K - 1, (K - 1) * (N - 1), lower.tail = FALSE), ranks = M,
                     cd = qtukey(.95, K, Inf) / sqrt(2) * se, nemenyi = nem, conover_holm = p.adjust(con[up], "holm"), conover = con[up],
                     control_holm = p.adjust(2 * pnorm(-abs(M[-1] - M[1]) / se), "holm"))
out$holm <- list(p = c(.01, .04, .03, .005, .2, .012), adjusted = p.adjust(c(.01, .04, .03, .005, .2, .012), "holm"))

# power.roc.test: n per class for a given power (Obuchowski & McClish 1997), and power for given sizes
pw <- power.roc.test(auc = .75, sig.level = .05, power = .9)
out$power_one <- list(ncases = pw$ncases, ncontrols = pw$ncontrols)
ob <- list(A1 = 1.12, B1 = 1, A2 = .81, B2 = 1, rn = .6, ra = .6, delta = pnorm(1.12 / sqrt(2)) - pnorm(.81 / sqrt(2)))
p2c <- power.roc.test(ob, sig.level = .05, power = .8)
out$power_two <- list(ncases = p2c$ncases, ncontrols = p2c$ncontrols, at100 = power.roc.test(ob, sig.level = .05, ncases = 100, ncontrols = 100)$power)
pt2 <- power.prop.test(p1 = .15, p2 = .25, power = .9)
out$power_prop <- list(n = pt2$n, at150 = power.prop.test(n = 150, p1 = .15, p2 = .25)$power)
cat(toJSON(out, digits = 15, auto_unbox = TRUE, matrix = "rowmajor"))

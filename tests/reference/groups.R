# Cases in groups by R. Run in this folder:  Rscript groups.R > groups.json
# R 4.2.2, survey 4.1-1, sandwich 3.0-2. No package of Debian has the AUC of clustered data: Obuchowski's (1997) formula is
# written out below in loops over patients, as her paper has it.
suppressWarnings(suppressMessages({library(survey); library(sandwich); library(jsonlite)}))

psi <- function(x, y) if (x > y) 1 else if (x == y) 0.5 else 0

# X_ij, Y_ik: placements; I10, I01: patients with a positive, with a negative; I: all
obuchowski <- function(y, scores, g) {
  ids <- unique(g); M <- sum(y == 1); N <- sum(y == 0); I <- length(ids)
  I10 <- length(unique(g[y == 1])); I01 <- length(unique(g[y == 0]))
  k <- ncol(scores); theta <- numeric(k); DX <- DY <- matrix(0, I, k)
  for (r in 1:k) {
    s <- scores[, r]; up <- which(y == 1); down <- which(y == 0)
    X <- sapply(up, function(j) mean(sapply(down, function(l) psi(s[j], s[l]))))
    Y <- sapply(down, function(l) mean(sapply(up, function(j) psi(s[j], s[l]))))
    theta[r] <- mean(X)
    for (i in 1:I) {
      of <- g[up] == ids[i]; DX[i, r] <- sum(X[of]) - sum(of) * theta[r]
      of <- g[down] == ids[i]; DY[i, r] <- sum(Y[of]) - sum(of) * theta[r]
    }
  }
  S10 <- I10 / ((I10 - 1) * M) * t(DX) %*% DX
  S01 <- I01 / ((I01 - 1) * N) * t(DY) %*% DY
  S11 <- I / (I - 1) * t(DX) %*% DY
  V <- S10 / M + S01 / N + (S11 + t(S11)) / (M * N)
  # the same with the factor of the covariance replaced by the geometric mean of the other two
  f <- sqrt(I10 / (I10 - 1) * I01 / (I01 - 1))
  W <- S10 / M + S01 / N + f * (I - 1) / I * (S11 + t(S11)) / (M * N)
  list(auc = theta, variance = V, variance_geometric = W)
}

# Obuchowski (1998): two correlated proportions of clustered data; the pooled proportion centres the null variance
two_proportions <- function(one, two, g) {
  ids <- unique(g); m <- length(ids); N <- length(g)
  x <- sapply(ids, function(i) sum(one[g == i])); z <- sapply(ids, function(i) sum(two[g == i]))
  n <- sapply(ids, function(i) sum(g == i))
  p <- (sum(x) + sum(z)) / (2 * N)
  v1 <- m / (m - 1) * sum((x - n * p)^2) / N^2; v2 <- m / (m - 1) * sum((z - n * p)^2) / N^2
  cov <- m / (m - 1) * sum((x - n * p) * (z - n * p)) / N^2
  chi2 <- (sum(x) / N - sum(z) / N)^2 / (v1 + v2 - 2 * cov)
  list(statistic = chi2, p_value = pchisq(chi2, 1, lower.tail = FALSE))
}

one <- function(name, sizes, pure, digits) {
  G <- length(sizes); g <- rep(1:G, sizes); n <- length(g)
  y <- if (pure) rbinom(G, 1, .5)[g] else rbinom(n, 1, .4)
  if (name == "both") y[cumsum(sizes)] <- 1 - y[cumsum(sizes) - 1]   # every group has both classes
  u <- rnorm(G)[g]
  s <- cbind(round(1.2 * y + .7 * u + rnorm(n), digits), round(.8 * y + .9 * u + rnorm(n), digits))
  said <- (s > .6) * 1
  right <- (said == y) * 1
  d <- data.frame(y, g, said = said[, 1], hit = right[, 1])
  design <- svydesign(ids = ~g, weights = ~1, data = d)
  share <- function(formula, design, n, groups) {
    e <- svymean(formula, design, deff = "replace")
    p <- coef(e)[[1]]; v <- vcov(e)[1]; deff_ <- deff(e)[[1]]
    eff <- n / deff_ * (qt(.975, n - 1) / qt(.975, groups - 1))^2
    list(value = p, se = sqrt(v), design_effect = deff_,
         exact = qbeta(c(.025, .975), p * eff + c(0, 1), (1 - p) * eff + c(1, 0)),
         jeffreys = qbeta(c(.025, .975), p * eff + .5, (1 - p) * eff + .5))
  }
  positives <- svydesign(ids = ~g, weights = ~1, data = d[d$y == 1, ])
  long <- data.frame(err = c(1 - right[, 1], 1 - right[, 2]), first = rep(c(1, 0), each = n), g = rep(g, 2))
  fit <- lm(err ~ first, long)
  list(name = name, y = y, g = g, s1 = s[, 1], s2 = s[, 2], obuchowski = obuchowski(y, s, g),
       accuracy = share(~hit, design, n, G),
       tpf = share(~said, positives, sum(y), length(unique(g[y == 1]))),
       ratio_ppv = {r <- svyratio(~I(y * said), ~said, design); c(coef(r)[[1]], SE(r)[[1]])},
       difference = list(value = coef(fit)[[2]], se = sqrt(vcovCL(fit, long$g, type = "HC0", cadjust = TRUE)[2, 2])),
       mcnemar = two_proportions(right[, 1], right[, 2], g))
}

set.seed(20)
sets <- list(one("mixed", sample(2:6, 25, TRUE), FALSE, 1), one("pure", sample(2:6, 25, TRUE), TRUE, 3),
             one("both", sample(3:6, 20, TRUE), FALSE, 1), one("single", rep(1, 60), FALSE, 1))
cat(toJSON(list(R = R.version.string, sets = sets), auto_unbox = TRUE, digits = NA))

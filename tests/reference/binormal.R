# Binormal maximum likelihood by R's optim, a second program beside kernels/binormal.py. Run in this folder:
#   Rscript binormal.R > binormal.json
# R 4.2.2. The likelihood is written out in alpha, log(beta), the first cut and the logs of the gaps; BFGS from several
# starts, standard errors from the numerical Hessian (observed information).
fit <- function(down, up) {
  K <- length(down)
  unpack <- function(par) {
    cuts <- cumsum(c(par[3], if (K > 2) exp(par[4:(K + 1)])))
    list(alpha = par[1], beta = exp(par[2]), cuts = cuts)
  }
  minus <- function(par) {
    q <- unpack(par)
    p0 <- diff(c(0, pnorm(q$cuts), 1))
    p1 <- diff(c(0, pnorm(q$beta * q$cuts - q$alpha), 1))
    if (any(p0[down > 0] <= 0) || any(p1[up > 0] <= 0)) return(1e10)
    -sum(down[down > 0] * log(p0[down > 0])) - sum(up[up > 0] * log(p1[up > 0]))
  }
  start <- qnorm(pmin(pmax(cumsum(down)[-K] / sum(down), 0.02), 0.98))
  start <- c(1, -0.2, start[1], log(pmax(diff(start), 0.02)))
  best <- NULL
  for (i in 1:5) {
    o <- optim(start, minus, method = "BFGS", control = list(maxit = 5000, reltol = 1e-15))
    if (is.null(best) || o$value <= best$value) best <- o
    start <- best$par + c(0.1, 0.1, rep(0, K - 1)) * (i %% 2)
  }
  q <- unpack(best$par)
  num <- function(x) paste0("[", paste(sprintf("%.10g", x), collapse = ", "), "]")
  sprintf('{"down": %s, "up": %s, "alpha": %.10g, "beta": %.10g, "auc": %.10g, "loglik": %.12g}',
          num(down), num(up), q$alpha, q$beta, pnorm(q$alpha / sqrt(1 + q$beta^2)), -best$value)
}
cat("[\n")
cat(fit(c(33, 6, 6, 11, 2), c(3, 2, 2, 11, 33)), ",\n") # Hanley & McNeil (1982), CT ratings
cat(fit(c(30, 19, 8, 2, 1), c(5, 6, 5, 12, 22)), ",\n") # made up
cat(fit(c(40, 25, 20, 10, 4, 1), c(10, 14, 20, 24, 20, 12)), "\n") # made up
cat("]\n")

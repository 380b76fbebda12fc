# Adjusted p-values of several correlated t statistics (max-t), by mvtnorm 1.1-3: joint_test.json.
#   Rscript tests/reference/joint_test.R > tests/reference/joint_test.json
# The influence of case i on difference k is sin(ki) + cos((k + 1)i)/2, k = 1, 2, 3; the fourth difference is the first
# with the opposite sign, so that the covariance is singular.
library(mvtnorm)
set.seed(1)
i <- 1:40
g <- sapply(1:3, function(k) { v <- sin(k * i) + cos((k + 1) * i) / 2; v - mean(v) })
g <- cbind(g, -g[, 1])
r <- cov2cor(crossprod(g))
t <- c(2.1, -0.7, 1.4, -2.1)
adjusted <- function(df) sapply(abs(t), function(q) {
  limits <- GenzBretz(maxpts = 1e6, abseps = 1e-6)
  if (is.infinite(df)) 1 - pmvnorm(rep(-q, 3), rep(q, 3), corr = r[1:3, 1:3], algorithm = limits)[1]
  else 1 - pmvt(rep(-q, 3), rep(q, 3), df = df, corr = r[1:3, 1:3], algorithm = limits)[1]
})
cells <- function(x) paste0("[", paste(sprintf("%.8f", x), collapse = ", "), "]")
cat(sprintf('{\n  "t": %s,\n  "normal": %s,\n  "df15": %s,\n  "df99": %s\n}\n', cells(t), cells(adjusted(Inf)),
            cells(adjusted(15)), cells(adjusted(99))))

# Reference numbers for venkatraman_unpaired. Run: Rscript tests/reference/venkatraman_unpaired.R > tests/reference/venkatraman_unpaired.json
# Needs pROC and jsonlite. The test reads the JSON only.
suppressPackageStartupMessages({library(pROC); library(jsonlite)})
set.seed(20001)
q <- function(...) suppressMessages(roc(..., direction = "<", levels = c(0, 1)))
draw <- function(n1, n2, shift, spread) { y <- c(rep(1, n1), rep(0, n2)); list(y = y, s = rnorm(n1 + n2, shift * y, 1 + (spread - 1) * y)) }
one <- function(a, b, boot.n) {
  r1 <- q(a$y, a$s); r2 <- q(b$y, b$s)
  set.seed(1)
  t <- roc.test(r1, r2, method = "venkatraman", paired = FALSE, boot.n = boot.n, progress = "none")
  list(y1 = a$y, s1 = a$s, y2 = b$y, s2 = b$s, statistic = unname(t$statistic), p = t$p.value)
}
# the same number of cases of each class in both sets: pROC's share of positives and its exchange of ranks are right
out <- list(version = paste("R", getRversion(), "pROC", packageVersion("pROC")),
            same_sizes = list(one(draw(30, 40, 1.5, 1), draw(30, 40, 0.7, 1), 10000),
                              one(draw(30, 40, 1.2, 1), draw(30, 40, 1.2, 2.5), 10000)))
# other sizes: roc.test divides by 2 length(D1) where length(D1) + length(D2) is meant; its own function of the
# statistic is given the right share here
a <- draw(20, 45, 1.4, 1); b <- draw(35, 25, 0.6, 1.5)
E <- pROC:::venkatraman.unpaired.stat(rank(a$s), rank(b$s), a$y, b$y, c(0, 1), c(0, 1), (20 + 35) / (65 + 60))
out$other_sizes <- list(y1 = a$y, s1 = a$s, y2 = b$y, s2 = b$s, statistic = E)
cat(toJSON(out, digits = 17, auto_unbox = TRUE))

# Calibration by rms 6.5-0 on MASS::birthwt: a logistic regression of `low` on age, lwt, smoke and ht, fitted to the odd rows and judged on the even ones.
#   Rscript tests/reference/birthwt.R > tests/reference/birthwt.json
suppressMessages({library(rms); library(MASS)})
d <- birthwt; odd <- seq(1, nrow(d), 2)
f <- glm(low ~ age + lwt + smoke + ht, binomial, d[odd, ])
p <- unname(predict(f, d[-odd, ], type = "response")); y <- d$low[-odd]
v <- val.prob(p, y, pl = FALSE)
x <- qlogis(p); knots <- quantile(x, c(.05, .35, .65, .95))  # below 100 cases rcs(x, 4) takes the fifth smallest and largest instead
s <- lrm(y ~ rcs(x, knots)); e <- abs(p - plogis(s$linear.predictors))
large <- glm(y ~ offset(qlogis(p)), family = binomial)
w <- loess(y ~ p, degree = 2, span = .75, control = loess.control(surface = "direct")); l <- abs(p - pmin(pmax(fitted(w), 0), 1))
num <- function(x) paste0("[", paste(sprintf("%.12g", x), collapse = ", "), "]")
cat(sprintf('{\n"p": %s,\n"y": %s,\n"val_prob": {%s},\n"spline": %s,\n"loess": %s,\n"in_the_large": %.12g\n}\n', num(p), num(y),
  paste(sprintf('"%s": %.12g', c("C", "R2", "Brier", "Intercept", "Slope", "U", "Q"), v[c("C (ROC)", "R2", "Brier", "Intercept", "Slope", "U", "Q")]), collapse = ", "),
  num(c(mean(e), median(e), unname(quantile(e, .9)))), num(c(mean(l), median(l), unname(quantile(l, .9)))), coef(large)))

# Calibration and optimism by rms on the Pima women of MASS. Run in this folder:  Rscript probabilities.R > probabilities.json
# R 4.2.2, rms 6.5-0, MASS 7.3. A logistic regression on Pima.tr predicts Pima.te (val.prob, curves), and is validated
# by the bootstrap on Pima.tr itself (validate, calibrate).
suppressWarnings(suppressMessages({library(rms); library(MASS); library(jsonlite)}))
data(Pima.tr); data(Pima.te)
form <- type ~ glu + bmi + ped + age
fit <- glm(form, binomial, Pima.tr)
p <- unname(predict(fit, Pima.te, type = "response")); y <- as.integer(Pima.te$type == "Yes")
v <- suppressWarnings(val.prob(p, y, pl = FALSE))
x <- qlogis(p)
# the smooth curve: logistic regression on restricted cubic splines of the log-odds, 4 knots at the same quantiles
knots <- quantile(x, c(.05, .35, .65, .95))
smooth <- glm(y ~ rcspline.eval(x, knots = knots, inclx = TRUE), family = binomial, control = list(epsilon = 1e-14, maxit = 100))
m <- unname(fitted(smooth)); d <- abs(p - m)
# the same measures with loess computed directly, and with its default interpolation (Austin & Steyerberg 2019 use loess)
direct <- predict(loess(y ~ p, control = loess.control(surface = "direct")))
usual <- predict(loess(y ~ p))
of <- function(d) c(mean(d), quantile(d, c(.5, .9)), max(d))
# intercept and slope with their model-based standard errors
citl <- glm(y ~ offset(x), family = binomial); slope <- glm(y ~ x, family = binomial)
iso <- isoreg(p, y)$yf[rank(p, ties.method = "first")]
# optimism: the same 60 resamples are given to trueness
full <- lrm(type ~ glu + bmi + ped + age, data = Pima.tr, x = TRUE, y = TRUE)
set.seed(7); before <- .Random.seed
val <- rms::validate(full, B = 60)
set.seed(7); n <- nrow(Pima.tr)
drawn <- t(sapply(1:60, function(b) tabulate(sample(1:n, replace = TRUE), n)))
set.seed(8)
cal <- calibrate(full, B = 200, predy = seq(.05, .9, by = .05))
out <- list(
  versions = c(R = as.character(getRversion()), rms = as.character(packageVersion("rms"))),
  p = p, y = y, val_prob = as.list(v[1:16]),
  citl = c(coef(citl), sqrt(vcov(citl))), slope = c(coef(slope)[2], sqrt(vcov(slope)[2, 2])),
  o_e = mean(y) / mean(p), smooth = m, rcs = of(d), loess_direct = of(abs(p - direct)), loess = of(abs(p - usual)),
  isotonic = iso, validate = list(rows = rownames(val), columns = colnames(val), values = unclass(val)[, ]),
  counts = drawn,
  calibrate = list(predy = cal[, "predy"], apparent = cal[, "calibrated.orig"], corrected = cal[, "calibrated.corrected"])
)
cat(toJSON(out, digits = 15, auto_unbox = TRUE), "\n")

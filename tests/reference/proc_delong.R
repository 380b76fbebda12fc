# AUC, DeLong's variance, interval and paired covariance of R's pROC.
#   Rscript proc_delong.R > proc_delong.json
suppressMessages({library(pROC); library(jsonlite)})
data(aSAH)

one <- function(name, y, score) {
  r <- roc(y, score, levels = c(0, 1), direction = "<", quiet = TRUE)
  list(name = name, y = y, score = score, auc = as.numeric(auc(r)), var = var(r, method = "delong"),
       ci90 = as.numeric(ci.auc(r, conf.level = 0.90, method = "delong"))[c(1, 3)])
}
pair <- function(name, y, a, b) {
  ra <- roc(y, a, levels = c(0, 1), direction = "<", quiet = TRUE)
  rb <- roc(y, b, levels = c(0, 1), direction = "<", quiet = TRUE)
  test <- roc.test(ra, rb, method = "delong", paired = TRUE)
  list(name = name, y = y, a = a, b = b, difference = as.numeric(auc(ra) - auc(rb)),
       cov = cov(ra, rb, method = "delong"), z = unname(test$statistic), p_value = test$p.value)
}

outcome <- as.integer(aSAH$outcome == "Poor")
wfns <- as.integer(aSAH$wfns)   # five values: mostly ties
set.seed(7)
y <- rep(0:1, c(40, 25))
few <- round(rnorm(65, mean = y), 0)  # whole numbers: ties within and across the classes
fine <- rnorm(65, mean = 1.5 * y)

cat(toJSON(list(
  made_with = paste(R.version.string, "pROC", packageVersion("pROC")),
  single = list(one("aSAH s100b", outcome, aSAH$s100b), one("aSAH wfns", outcome, wfns),
                one("aSAH ndka", outcome, aSAH$ndka), one("rounded normal", y, few), one("normal", y, fine)),
  paired = list(pair("aSAH s100b - ndka", outcome, aSAH$s100b, aSAH$ndka),
                pair("aSAH wfns - s100b", outcome, wfns, aSAH$s100b),
                pair("rounded - normal", y, few, fine))
), digits = NA, auto_unbox = TRUE))

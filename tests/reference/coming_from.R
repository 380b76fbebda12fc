# Numbers of ipred, caret and rms on src/trueness/studies/data/roc_rounded.csv, for docs/from: Rscript tests/reference/coming_from.R
# All three draw at random: they agree with trueness up to Monte-Carlo errors.
suppressPackageStartupMessages({library(MASS); library(ipred); library(caret); library(rms)})
for (p in c("ipred", "caret", "rms")) cat(p, as.character(packageVersion(p)), "\n")
d <- read.csv("src/trueness/studies/data/roc_rounded.csv")
d$y <- factor(ifelse(d$y == 1, "sick", "well"))
set.seed(1)
answer <- function(object, newdata) predict(object, newdata)$class
for (how in c("boot", "632plus", "cv")) {
  e <- errorest(y ~ a + b, data = d, model = lda, predict = answer, estimator = how,
                est.para = control.errorest(nboot = 1000, k = 10))
  cat("ipred", how, e$error, "sd", if (is.null(e$sd)) NA else e$sd, "\n")
}
control <- trainControl(method = "repeatedcv", number = 10, repeats = 10, classProbs = TRUE,
                        summaryFunction = twoClassSummary)
fit <- train(y ~ a + b, data = d, method = "lda", metric = "ROC", trControl = control)
cat("caret ROC", fit$results$ROC, "ROCSD", fit$results$ROCSD, "levels", levels(d$y), "\n")
b <- train(y ~ a + b, data = d, method = "lda", trControl = trainControl(method = "boot632", number = 1000))
cat("caret boot632 accuracy", b$results$Accuracy, "AccuracySD", b$results$AccuracySD, "\n")
q <- confusionMatrix(predict(fit, d), d$y, positive = "sick")
print(q$table); cat("accuracy", q$overall["Accuracy"], q$overall["AccuracyLower"], q$overall["AccuracyUpper"],
                    "sens", q$byClass["Sensitivity"], "spec", q$byClass["Specificity"], "\n")
d$sick <- as.integer(d$y == "sick")
f <- lrm(sick ~ a + b, data = d, x = TRUE, y = TRUE)
print(validate(f, B = 1000))
r <- pROC::roc(d$sick, d$a, quiet = TRUE)
cat("pROC", as.character(packageVersion("pROC")), "smooth", pROC::auc(pROC::smooth(r)), "\n")

# Leave-one-out bootstrap and .632+ of R's ipred on bootstrap rows that are written down beside them.
#   Rscript ipred_bootstrap.R > ipred_bootstrap.json
# ipred takes the rows by control.errorest(list.tindx = ...). It keeps the left-out predictions of every fit;
# those of the rule trained on all cases are made here with the same model and predict functions.
suppressMessages({library(ipred); library(MASS); library(class); library(jsonlite)})

predict_lda <- function(object, newdata) predict(object, newdata = newdata)$class

# 1-nearest neighbour as a model that returns a function, the other form ipred takes
nearest <- function(formula, data) {
  train <- data
  function(newdata) knn(train[, -1], newdata[, -1], train$y, k = 1)
}

reference <- function(name, frame, model, predictor, B, seed) {
  set.seed(seed)
  n <- nrow(frame)
  rows <- replicate(B, sample(n, n, replace = TRUE), simplify = FALSE)
  control <- control.errorest(nboot = B, list.tindx = rows, predictions = TRUE)
  call <- function(estimator) errorest(y ~ ., data = frame, model = model, predict = predictor,
                                       estimator = estimator, est.para = control)
  boot <- call("boot")
  plus <- call("632plus")
  whole <- model(y ~ ., data = frame)
  full <- if (is.function(whole)) whole(newdata = frame) else predictor(whole, frame)
  list(name = name,
       y = as.integer(frame$y) - 1,                                  # classes and rows from 0, as Python counts
       rows = lapply(rows, function(r) r - 1),
       predictions = unname(lapply(boot$predictions, function(p) as.integer(p) - 1)),  # NA where in the bag
       full_predictions = as.integer(full) - 1,
       loob = boot$error, sd = boot$sd, plus632 = plus$error)
}

biopsy2 <- na.omit(biopsy)[1:80, ]
set.seed(5)
two <- data.frame(y = factor(rep(c("a", "b"), c(18, 24))), matrix(rnorm(42 * 3), 42))
two[two$y == "b", 2:3] <- two[two$y == "b", 2:3] + 0.8

sets <- list(
  reference("lda, two Gaussian classes", two, lda, predict_lda, 60, 1),
  reference("lda, iris (three classes)", data.frame(y = iris$Species, iris[, 1:2]), lda, predict_lda, 50, 2),
  reference("1-NN, two Gaussian classes (overfits)", two, nearest, NULL, 60, 3),
  reference("lda, biopsy", data.frame(y = biopsy2$class, biopsy2[, 2:4]), lda, predict_lda, 50, 4)
)
cat(toJSON(list(made_with = paste(R.version.string, "ipred", packageVersion("ipred")), sets = sets),
           digits = NA, auto_unbox = TRUE, na = "null"))

# Reference numbers for conservative_z, the all-pairs and within-fold standard errors and the corrected t.
# Run: Rscript tests/reference/mlr3inferr.R <checkout of mlr-org/mlr3inferr> > tests/reference/mlr3inferr.json
# Needs data.table and jsonlite; mlr3 is not needed: the methods of mlr3inferr's classes are called on loss tables made here.
# The tests read the JSON only.
suppressPackageStartupMessages({library(data.table); library(jsonlite)})
source_dir <- commandArgs(trailingOnly = TRUE)[1]
loaded <- list()
R6Class <- function(name, inherit, public, private, active) { loaded[[name]] <<- list(public = public, private = private); NULL }
MeasureAbstractCi <- NULL; measures <- list(); resamplings <- list()
assert_int <- function(...) NULL; assert_true <- function(x, ...) stopifnot(x)
for (file in c("MeasureCiConZ", "MeasureCiWaldCV", "MeasureCiCorT")) source(file.path(source_dir, "R", paste0(file, ".R")))
text <- readLines(file.path(source_dir, "R", "ResamplingPairedSubsampling.R"))
eval(parse(text = sub("mlr3::Resampling", "NULL", text, fixed = TRUE)))

set.seed(20030)
alpha <- 0.05
ci <- function(class, tbl, rr, ...) unname(loaded[[class]]$private$.ci(tbl, rr, list(alpha = alpha, ...)))
shown <- function(x) list(value = x[1], low = x[2], high = x[3])

# probabilities of class 1 by a made-up rule: better than chance, and different in every split
scores <- function(y) round(plogis(2 * y - 1 + rnorm(length(y))), 3)
losses <- function(y, p) list(error = as.numeric((p >= 0.5) != y), brier = (p - y)^2)

# -- paired subsampling: the splits are drawn by mlr3inferr itself
paired <- function(n, repeats_in, repeats_out, ratio) {
  y <- rep(0:1, length.out = n)
  values <- list(repeats_in = repeats_in, repeats_out = repeats_out, ratio = ratio)
  private <<- loaded$ResamplingPairedSubsampling$private
  unflatten <- loaded$ResamplingPairedSubsampling$public$unflatten
  iters <- (2 * repeats_out + 1) * repeats_in
  self <<- list(id = "paired_subsampling", iters = iters, unflatten = unflatten, param_set = list(get_values = function() values))
  self$instance <<- private$.sample(seq_len(n), list())
  splits <- lapply(seq_len(iters), function(i) {
    test <- private$.get_test(i)
    list(train = private$.get_train(i) - 1, test = test - 1, score = scores(y[test]))
  })
  each <- lapply(splits, function(s) lapply(losses(y[s$test + 1], s$score), mean))
  rr <- list(resampling = list(param_set = list(values = values), task_nrow = n))
  outer <- list(resampling = list(param_set = list(values = list(repeats = repeats_in, ratio = ratio)), task_nrow = n))
  of <- function(metric) {
    tbl <- data.table(iteration = seq_len(iters), loss = sapply(each, `[[`, metric))
    list(conservative_z = shown(ci("MeasureCiConZ", tbl, rr)),
         corrected_t = shown(ci("MeasureCiCorrectedT", tbl[iteration <= repeats_in], outer)))
  }
  list(y = y, n_splits = repeats_in, inner = repeats_out, splits = splits, error = of("error"), brier = of("brier"))
}

# -- K folds
folds <- function(n, k) {
  y <- rep(0:1, length.out = n)
  fold <- sample(rep_len(seq_len(k), n))
  p <- scores(y)
  rr <- list(resampling = structure(list(task_nrow = n), class = "ResamplingCV"))
  of <- function(metric) {
    tbl <- data.table(iteration = fold, loss = losses(y, p)[[metric]])
    list(all_pairs = shown(ci("MeasureCiWaldCV", tbl, rr, variance = "all-pairs")),
         within_fold = shown(ci("MeasureCiWaldCV", tbl, rr, variance = "within-fold")))
  }
  list(y = y, fold = fold - 1, score = p, error = of("error"), brier = of("brier"))
}

# -- numbers as targets: the same with squared and absolute errors of predicted numbers, one of them far off
number_losses <- function(y, p) list(mse = (p - y)^2, mae = abs(p - y))
with_numbers <- function(make) {
  old_scores <- scores; old_losses <- losses
  scores <<- function(y) round(0.8 * y + rnorm(length(y)), 3)
  losses <<- number_losses
  made <- make()
  scores <<- old_scores; losses <<- old_losses
  made
}
targets <- function(n) { y <- round(rnorm(n, 3, 2), 3); y[n] <- 30; y }
paired_numbers <- function(n, repeats_in, repeats_out, ratio) with_numbers(function() {
  y <- targets(n)
  values <- list(repeats_in = repeats_in, repeats_out = repeats_out, ratio = ratio)
  private <<- loaded$ResamplingPairedSubsampling$private
  unflatten <- loaded$ResamplingPairedSubsampling$public$unflatten
  iters <- (2 * repeats_out + 1) * repeats_in
  self <<- list(id = "paired_subsampling", iters = iters, unflatten = unflatten, param_set = list(get_values = function() values))
  self$instance <<- private$.sample(seq_len(n), list())
  splits <- lapply(seq_len(iters), function(i) {
    test <- private$.get_test(i)
    list(train = private$.get_train(i) - 1, test = test - 1, score = scores(y[test]))
  })
  each <- lapply(splits, function(s) lapply(losses(y[s$test + 1], s$score), mean))
  rr <- list(resampling = list(param_set = list(values = values), task_nrow = n))
  outer <- list(resampling = list(param_set = list(values = list(repeats = repeats_in, ratio = ratio)), task_nrow = n))
  of <- function(metric) {
    tbl <- data.table(iteration = seq_len(iters), loss = sapply(each, `[[`, metric))
    list(conservative_z = shown(ci("MeasureCiConZ", tbl, rr)),
         corrected_t = shown(ci("MeasureCiCorrectedT", tbl[iteration <= repeats_in], outer)))
  }
  list(y = y, n_splits = repeats_in, inner = repeats_out, splits = splits, mse = of("mse"), mae = of("mae"))
})
fold_numbers <- function(n, k) with_numbers(function() {
  y <- targets(n)
  fold <- sample(rep_len(seq_len(k), n))
  p <- scores(y)
  rr <- list(resampling = structure(list(task_nrow = n), class = "ResamplingCV"))
  of <- function(metric) {
    tbl <- data.table(iteration = fold, loss = losses(y, p)[[metric]])
    list(all_pairs = shown(ci("MeasureCiWaldCV", tbl, rr, variance = "all-pairs")),
         within_fold = shown(ci("MeasureCiWaldCV", tbl, rr, variance = "within-fold")))
  }
  list(y = y, fold = fold - 1, score = p, mse = of("mse"), mae = of("mae"))
})

version <- read.dcf(file.path(source_dir, "DESCRIPTION"))[, "Version"]
out <- list(version = paste("R", getRversion(), "mlr3inferr", version),
            paired = list(paired(40, 4, 3, 0.9), paired(41, 3, 5, 0.8)),
            folds = list(folds(40, 5), folds(37, 4)),
            paired_numbers = list(paired_numbers(28, 3, 4, 0.8)),
            fold_numbers = list(fold_numbers(28, 4)))
cat(toJSON(out, digits = NA, auto_unbox = TRUE), "\n")

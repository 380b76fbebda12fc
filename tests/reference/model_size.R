# Sample sizes for prediction models by pmsampsize 1.1.3 and pmvalsampsize 0.1.0 (CRAN): the examples of their help pages, which are
# those of Riley et al. (2019, 2020, 2021), and some others.
# Rscript tests/reference/model_size.R > tests/reference/model_size.json
suppressMessages({library(pmsampsize); library(pmvalsampsize); library(jsonlite)})

developed <- function(...) {
  r <- pmsampsize(...)
  list(given = list(...), sizes = as.numeric(r$results_table[, 1]), r2 = as.numeric(if (is.null(r$rsquared)) r$r2a else r$rsquared))
}
validated <- function(...) {
  r <- suppressMessages(suppressWarnings(pmvalsampsize(...)))
  list(given = list(...), sizes = as.numeric(r$results_table[, 1]))
}

write(toJSON(list(
  source = paste("R", getRversion(), "pmsampsize", packageVersion("pmsampsize"), "pmvalsampsize", packageVersion("pmvalsampsize")),
  development = list(
    developed(type = "b", csrsquared = 0.288, parameters = 24, prevalence = 0.174),
    developed(type = "b", cstatistic = 0.89, parameters = 24, prevalence = 0.174),
    developed(type = "b", csrsquared = 0.05, parameters = 10, prevalence = 0.05, shrinkage = 0.95),
    developed(type = "b", cstatistic = 0.7, parameters = 15, prevalence = 0.4),
    developed(type = "c", rsquared = 0.2, parameters = 25, intercept = 1.9, sd = 0.6),
    developed(type = "c", rsquared = 0.6, parameters = 40, intercept = 10, sd = 3)
  ),
  validation = list(
    validated(type = "b", prevalence = 0.018, cstatistic = 0.8, lpnormal = c(-5, 2.5), oeciwidth = 1, seed = 1),
    validated(type = "b", prevalence = 0.3, cstatistic = 0.75, lpnormal = c(-1, 1), seed = 1),
    validated(type = "b", prevalence = 0.1, cstatistic = 0.7, lpnormal = c(-2.5, 0.8), seed = 1, sensitivity = 0.6, specificity = 0.7,
              threshold = 0.1, csciwidth = 0.3, cstatciwidth = 0.08, oeciwidth = 0.4)
  )
), auto_unbox = TRUE, digits = 15), stdout())

# Reader studies by MRMCaov (Smith, Hillis & Pesce) and iMRMC (Gallas): tests/reference/readers.json.
#   Rscript tests/reference/readers.R          with the packages MRMCaov, iMRMC and jsonlite
# Franken and Kundel are data sets of MRMCaov; their ratings are in tests/data, written by this script.
if (Sys.getenv("READERS_SOURCES") == "") { library(MRMCaov); library(iMRMC) } else source(Sys.getenv("READERS_SOURCES"))
library(jsonlite)

sets <- list(VanDyke = VanDyke, Franken = Franken, Kundel = as.data.frame(Kundel))
for (name in c("Franken", "Kundel")) {
  d <- sets[[name]][c("reader", "treatment", "case", "truth", "rating")]
  write.csv(d, file.path(if (name == "VanDyke") "src/trueness/studies/data" else "tests/data", paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
}
plain <- function(x) { if (is.null(x)) return(NULL); x <- as.data.frame(as.matrix(x)); x }
analysis <- function(est) {
  s <- summary(est)
  list(equality = s$test_equality, differences = do.call(data.frame, s$test_diffs), means = do.call(data.frame, s$test_means),
       components = s$vcov_comps)
}
out <- list()
for (name in names(sets)) {
  d <- sets[[name]]
  d[c("reader", "treatment", "case")] <- lapply(d[c("reader", "treatment", "case")], factor)
  for (kind in c(if (name != "Kundel") "DeLong", "jackknife", "unbiased")) {  # Kundel: cases nested in treatments
    cov <- get(kind)
    out[[paste(name, kind, "both")]] <- analysis(mrmc(empirical_auc(truth, rating), treatment, reader, case, data = d, cov = cov))
    out[[paste(name, kind, "cases")]] <- analysis(mrmc(empirical_auc(truth, rating), treatment, fixed(reader), case, data = d, cov = cov))
  }
  out[[paste(name, "none", "readers")]] <- analysis(mrmc(empirical_auc(truth, rating), treatment, reader, fixed(case), data = d))
}
v <- VanDyke
v[c("reader", "treatment")] <- lapply(v[c("reader", "treatment")], factor)
for (nested in c("case2", "case3")) for (kind in c("jackknife", "unbiased")) {
  d <- v; d$case <- factor(d[[nested]]); cov <- get(kind)
  out[[paste("VanDyke", nested, kind, "both")]] <- analysis(mrmc(empirical_auc(truth, rating), treatment, reader, case, data = d, cov = cov))
  out[[paste("VanDyke", nested, kind, "cases")]] <- analysis(mrmc(empirical_auc(truth, rating), treatment, fixed(reader), case, data = d, cov = cov))
}
v$case <- factor(v$case); v$called <- as.numeric(v$rating >= 3)
out[["VanDyke sens"]] <- analysis(mrmc(binary_sens(truth, called), treatment, reader, case, data = v))
out[["VanDyke spec"]] <- analysis(mrmc(binary_spec(truth, called), treatment, reader, case, data = v))
out[["VanDyke partial"]] <- analysis(mrmc(empirical_auc(truth, rating, partial = "specificity", min = 0.8, max = 1), treatment, reader, case, data = v))

imrmc <- function(d) {
  truth <- unique(d[c("case", "truth")])
  all <- rbind(
    data.frame(readerID = "truth", caseID = truth$case, modalityID = "truth", score = truth$truth),
    data.frame(readerID = d$reader, caseID = d$case, modalityID = d$treatment, score = d$rating))
  u <- doAUCmrmc(all)$Ustat.full
  keep <- c("modalityID.1", "modalityID.2", "AUC.1", "AUC.2", "covAUC", "varAUC1minusAUC2", "dfN", "dfD", "dfR", "dfBDG", "dfBDG.diff",
            paste0("M", 1:8), paste0("M", 1:8, ".coeff"), paste0("BCK.", c("N", "D", "ND", "R", "NR", "DR", "RND")))
  u[keep]
}
u <- list()
for (name in names(sets)) u[[name]] <- imrmc(sets[[name]])
d <- VanDyke; d$case <- as.character(d$case2); u[["VanDyke case2"]] <- imrmc(d)
d <- VanDyke; d$case <- as.character(d$case3); u[["VanDyke case3"]] <- imrmc(d)
d <- VanDyke; d$case <- as.integer(as.character(d$case)); d$reader <- as.integer(as.character(d$reader)); d$treatment <- as.integer(as.character(d$treatment))
u[["VanDyke missing"]] <- imrmc(d[(d$case * 7 + d$reader * 3 + d$treatment) %% 11 != 0, ])  # a rule that leaves readings out
own <- d; own$reader <- own$reader + 10 * own$treatment
u[["VanDyke own readers"]] <- imrmc(own)
split <- d[(d$reader <= 2) == (d$case %% 2 == 0), ]  # readers 1 and 2 read even cases, the others odd ones
u[["VanDyke split"]] <- imrmc(split)
one <- d[!(d$reader == 5 & d$treatment == 2), ]
u[["VanDyke one reader in one modality"]] <- imrmc(one)
write(toJSON(list(mrmcaov = out, imrmc = u), digits = 12, dataframe = "rows", na = "null", pretty = FALSE, auto_unbox = TRUE), "tests/reference/readers.json")

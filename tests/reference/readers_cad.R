# A detector and nine radiologists (Hupse et al. 2013), dataset09 of RJafroc (Chakraborty): src/trueness/studies/data/Hupse.csv.
#   Rscript tests/reference/readers_cad.R       with the package RJafroc
# The numbers in tests/reading/test_published.py are those that RJafroc keeps for StCadVsRad(..., FOM = "Wilcoxon", method = "1T-RRRC").
if (Sys.getenv("RJAFROC_DATA") == "") library(RJafroc) else load(file.path(Sys.getenv("RJAFROC_DATA"), "dataset09.RData"))
negatives <- dataset09$ratings$NL[1, , , 1]; positives <- dataset09$ratings$LL[1, , , 1]
n0 <- ncol(negatives) - ncol(positives)
scores <- cbind(negatives[, 1:n0], positives)
d <- data.frame(case = rep(1:ncol(scores), each = nrow(scores) - 1), reader = rep(1:(nrow(scores) - 1), ncol(scores)),
                truth = rep(as.integer(1:ncol(scores) > n0), each = nrow(scores) - 1), score = c(scores[-1, ]), detector = rep(scores[1, ], each = nrow(scores) - 1))
write.csv(d, "src/trueness/studies/data/Hupse.csv", row.names = FALSE, quote = FALSE)

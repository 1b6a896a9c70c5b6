# Regression trees of R. Arguments: method, training CSV, test CSV, file of column types, file to write. A type is
# "n" (number), "c" (category) or the order of an ordinal column, divided by tabs. The last column is the target.
args <- commandArgs(trailingOnly = TRUE)
types <- readLines(args[4], encoding = "UTF-8")
read <- function(path) read.csv(path, colClasses = "character", check.names = FALSE, encoding = "UTF-8", na.strings = "")
train <- read(args[2])
test <- read(args[3])
names(train) <- names(test) <- c(paste0("x", seq_along(types)), "y") # a column may be named like the target
train$y <- as.numeric(train$y)
for (i in seq_along(types)) {
  if (types[i] == "n") {
    train[[i]] <- as.numeric(train[[i]])
    test[[i]] <- as.numeric(test[[i]])
    next
  }
  ordered <- types[i] != "c"
  levels <- if (ordered) strsplit(types[i], "\t")[[1]] else sort(unique(train[[i]]))
  train[[i]] <- factor(train[[i]], levels, ordered = ordered)
  test[[i]] <- factor(test[[i]], levels, ordered = ordered) # unknown categories are missing
}
# Medians and most frequent categories of the training rows in place of missing values, where a method has no rule.
complete <- function(rows) {
  for (name in setdiff(names(train), "y")) {
    gaps <- is.na(rows[[name]])
    if (!any(gaps)) next
    known <- train[[name]]
    rows[[name]][gaps] <- if (is.numeric(known)) median(known, na.rm = TRUE) else names(which.max(table(known)))
  }
  rows
}
setTimeLimit(cpu = 120) # all partitions of many categories take for ever
start <- proc.time()
if (args[1] == "rpart") {
  suppressMessages(library(rpart))
  full <- rpart(y ~ ., train, method = "anova", control = rpart.control(cp = 1e-4, xval = 10))
  best <- which.min(full$cptable[, "xerror"])
  found <- predict(prune(full, cp = full$cptable[best, "CP"]), test)
} else {
  suppressMessages(library(ranger))
  mode <- sub("ranger ", "", args[1])
  forest <- ranger(y ~ ., complete(train), respect.unordered.factors = mode, seed = 1, num.threads = 1, verbose = FALSE)
  found <- predict(forest, complete(test), num.threads = 1)$predictions
}
used <- proc.time() - start
writeLines(c(sprintf("%.6f", used[["user.self"]] + used[["sys.self"]]), sprintf("%.17g", found)), args[5])

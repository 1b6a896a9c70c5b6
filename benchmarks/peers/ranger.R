# Arguments: ARFF file, file of folds, methods. Output: see run_elsewhere in common.py; after the
# wrong answers the log loss, from the shares of votes.
suppressMessages(library(ranger))
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "arff.R"))

least_probability <- 1e-6 # as in common.py

args <- commandArgs(trailingOnly = TRUE)
if (args[1] == "--version") {
  cat(sprintf("ranger %s with R %s\n", packageVersion("ranger"), getRversion()))
  quit()
}
read <- read_arff(args[1])
folds <- read.csv(args[2], header = FALSE)
for (fold in seq_len(nrow(folds))) {
  is_test <- unlist(folds[fold, -1]) == 1
  data <- complete(read, !is_test)
  test <- data[is_test, ]
  truth <- as.character(test$class)
  for (method in seq_along(args[-(1:2)])) {
    seed <- folds[fold, 1] + 1 # 0 means a random seed to it
    train <- droplevels(data[!is_test, ], except = which(names(data) != "class"))
    forest <- ranger(class ~ ., train,
                     respect.unordered.factors = args[method + 2], seed = seed, num.threads = 1,
                     verbose = FALSE) # or it tells its progress between the results
    found <- predict(forest, test, seed = seed, num.threads = 1, verbose = FALSE)
    answers <- as.character(found$predictions)
    votes <- predict(forest, test, predict.all = TRUE, num.threads = 1, verbose = FALSE)$predictions
    right <- rowMeans(matrix(forest$forest$levels[votes], nrow(votes)) == truth)
    loss <- mean(-log(pmax(right, least_probability)))
    cat(sprintf("%d,%d,%d,%.9f\n", method - 1L, fold - 1L, sum(answers != truth), loss))
  }
}

# Arguments: ARFF file, file of folds, methods. Output: see run_elsewhere in common.py.
suppressMessages({
  library(rpart)
  library(partykit)
})

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "arff.R"))

grow <- function(train, ...) {
  tree <- rpart(class ~ ., train, method = "class", ...)
  list(tree = tree, leaves = sum(tree$frame$var == "<leaf>"), nodes = nrow(tree$frame))
}

# Grown with cp = 0, then cut back to the smallest tree whose cross-validated error is within
# `se` standard errors of the least.
grow_and_prune <- function(train, se, minsplit) {
  tree <- grow(train, cp = 0, minsplit = minsplit)$tree
  steps <- tree$cptable
  if (nrow(steps) > 1) {
    least <- which.min(steps[, "xerror"])
    enough <- steps[least, "xerror"] + se * steps[least, "xstd"]
    tree <- prune(tree, cp = steps[which(steps[, "xerror"] <= enough)[1], "CP"])
  }
  list(tree = tree, leaves = sum(tree$frame$var == "<leaf>"), nodes = nrow(tree$frame))
}

methods <- list(
  "rpart-default" = function(train) grow(train),
  "rpart-1se" = function(train) grow_and_prune(train, 1, 20),
  "rpart-0se" = function(train) grow_and_prune(train, 0, 20),
  "rpart-full-1se" = function(train) grow_and_prune(train, 1, 2),
  "rpart-full-0se" = function(train) grow_and_prune(train, 0, 2),
  "ctree" = function(train) {
    tree <- ctree(class ~ ., train)
    list(tree = tree, leaves = width(tree), nodes = length(nodeids(tree)))
  }
)

# ctree forgets categories without training rows, and given one, drops every row with a missing
# cell. Such categories are missing to it, as they are to rpart.
as_learned <- function(tree, test) {
  for (x in setdiff(names(test), "class")) {
    if (is.factor(test[[x]])) test[[x]] <- factor(test[[x]], levels = levels(tree$data[[x]]))
  }
  test
}

answers <- function(tree, test) {
  found <- if (inherits(tree, "rpart")) predict(tree, test, type = "class") else
    predict(tree, as_learned(tree, test), type = "response")
  stopifnot(length(found) == nrow(test))
  as.character(found)
}

args <- commandArgs(trailingOnly = TRUE)
if (args[1] == "--version") {
  cat(sprintf("R %s, rpart %s, partykit %s\n", getRversion(), packageVersion("rpart"),
              packageVersion("partykit")))
  quit()
}
data <- read_arff(args[1])
folds <- read.csv(args[2], header = FALSE)
for (fold in seq_len(nrow(folds))) {
  is_test <- unlist(folds[fold, -1]) == 1
  test <- data[is_test, ]
  for (method in seq_along(args[-(1:2)])) {
    set.seed(folds[fold, 1])
    found <- methods[[args[method + 2]]](data[!is_test, ])
    wrong <- sum(answers(found$tree, test) != as.character(test$class))
    cat(sprintf("%d,%d,%d,%d,%d\n", method - 1L, fold - 1L, wrong, found$leaves, found$nodes))
  }
}

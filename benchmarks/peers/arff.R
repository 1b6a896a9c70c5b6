# Reads what `write_arff` in common.py writes.
read_arff <- function(path) {
  lines <- readLines(path)
  described <- strsplit(grep("^@attribute", lines, value = TRUE), " ")
  rows <- lines[-seq_len(which(lines == "@data"))]
  data <- read.table(text = rows, sep = ",", na.strings = "?", colClasses = "character")
  names(data) <- sapply(described, `[`, 2)
  for (j in seq_along(described)) {
    kind <- described[[j]][3]
    data[[j]] <- if (kind == "numeric") as.numeric(data[[j]]) else
      factor(data[[j]], levels = strsplit(gsub("[{}]", "", kind), ",")[[1]])
  }
  data
}

# For methods that refuse missing cells: a missing category is one of its own; a missing number is
# the median of the training rows.
complete <- function(data, train = TRUE) {
  for (x in setdiff(names(data), "class")) {
    lost <- is.na(data[[x]])
    if (!any(lost)) next
    if (is.factor(data[[x]])) {
      levels(data[[x]]) <- c(levels(data[[x]]), "missing")
      data[[x]][lost] <- "missing"
    } else {
      data[[x]][lost] <- median(data[[x]][train], na.rm = TRUE)
    }
  }
  data
}

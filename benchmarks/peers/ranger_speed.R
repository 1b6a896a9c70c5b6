# Arguments: ARFF file, how to treat unordered factors, threads. Then orders, one per line: "read",
# "fit TREES", "predict", "mark" (memory counts from here), "peak". Each is answered by a number:
# seconds, or kB of peak memory since the mark. "--version" alone tells the version.
suppressMessages(library(ranger))
args <- commandArgs(trailingOnly = TRUE)
if (args[1] == "--version") {
  cat(sprintf("ranger %s with R %s\n", packageVersion("ranger"), getRversion()))
  quit()
}
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(dirname(script), "arff.R"))

memory_in_kb <- function(field) {
  lines <- readLines("/proc/self/status")
  as.numeric(gsub("[^0-9]", "", grep(paste0("^", field, ":"), lines, value = TRUE)))
}

data <- NULL
forest <- NULL
marked <- 0
orders <- file("stdin", "r")
while (length(order <- readLines(orders, 1)) > 0) {
  words <- strsplit(order, " ")[[1]]
  answer <- switch(words[1],
    read = {
      data <- complete(read_arff(args[1]))
      0
    },
    fit = system.time(
      forest <- ranger(class ~ ., data, num.trees = as.integer(words[2]), seed = 1,
                       respect.unordered.factors = args[2], num.threads = as.integer(args[3]),
                       verbose = FALSE) # or it tells its progress between the answers
    )[["elapsed"]],
    predict = system.time(
      predict(forest, data, num.threads = as.integer(args[3]), verbose = FALSE)
    )[["elapsed"]],
    mark = {
      invisible(gc())
      marked <- memory_in_kb("VmRSS")
      cat("5", file = "/proc/self/clear_refs")
      marked
    },
    peak = memory_in_kb("VmHWM") - marked
  )
  cat(answer, "\n", sep = "")
}

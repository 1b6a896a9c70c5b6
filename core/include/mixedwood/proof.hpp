// What a search for the best tree says of its answer: the same words for all solvers.
#pragma once

#include "mixedwood/stop.hpp"

namespace mixedwood {

enum class ProofStatus {
  kOptimal,      // no tree within the limits costs less
  kInfeasible,       // no tree within the limits costs as little as was asked for
  kTimeLimit,    // ended early: the tree, if any, is the best so far
  kWorkLimit,    // likewise
  kMemoryLimit,  // likewise
  kInterrupted,  // likewise, by the caller
};

constexpr const char* word_for(ProofStatus status) {
  switch (status) {
    case ProofStatus::kOptimal: return "optimal";
    case ProofStatus::kInfeasible: return "infeasible";
    case ProofStatus::kTimeLimit: return "time_limit";
    case ProofStatus::kWorkLimit: return "work_limit";
    case ProofStatus::kMemoryLimit: return "memory_limit";
    case ProofStatus::kInterrupted: return "interrupted";
  }
  return "";
}

// Of a search that was stopped.
inline ProofStatus why_stopped(const Stop& stop) {
  if (stop.interrupted()) return ProofStatus::kInterrupted;
  return stop.out_of_work() ? ProofStatus::kWorkLimit : ProofStatus::kTimeLimit;
}

}  // namespace mixedwood

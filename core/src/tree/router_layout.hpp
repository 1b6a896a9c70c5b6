// How a Router lays a tree out; between its making (layout.cpp) and its use (predict.cpp).
#pragma once

#include "mixedwood/router.hpp"

namespace mixedwood {

enum PlaceSplit : std::uint8_t {
  kNoSplit,        // stays; a row may walk on the spot
  kNumberSplit,    // an interval of numbers
  kPairTable,     // entries: code + 2 -> branch, two bits each, sixteen to an entry
  kWideTable,     // entries: code + 2 -> branch
  kLookUp,        // entries: n, branch if unknown, if missing, n codes ascending, n branches
  kCodeInterval,  // entries: branch if unknown, if missing
  kLinearSplit,
  kNumberOrPair,  // of a tree: no split is of another kind
};

enum PlaceEnd : std::uint8_t {
  kGoesOn,
  kPredicts,
  kDistributes,
};

// Entries of a table begin with those for the codes -2, unknown, and -1, missing.
inline constexpr std::uint32_t kBelowZero = 2;

// The entries begin with tables for splits of numbers, one for each branch of missing numbers: what is
// looked up is whether the number is above the low bound, plus twice whether it is at most the high
// one. One of them always holds, unless the number is missing. The last table stays where it is.
inline constexpr std::uint32_t number_table(std::uint32_t missing) {
  return missing | 1u << 2 | 1u << 4;
}
inline constexpr std::uint32_t kStays = 4;

static_assert(sizeof(Router::Place) == 32);

}  // namespace mixedwood

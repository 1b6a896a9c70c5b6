// How a Router lays a tree out; between its making (layout.cpp) and its use (predict.cpp).
#pragma once

#include "mixedwood/predict.hpp"

namespace mixedwood {

enum PlaceTest : std::uint8_t {
  kNoTest,        // stays; a row may walk on the spot
  kNumberTest,    // an interval of numbers
  kPairTable,     // entries: code + 2 -> way, two bits each, sixteen to an entry
  kWideTable,     // entries: code + 2 -> way
  kLookUp,        // entries: n, way if unseen, if missing, n codes ascending, n ways
  kCodeInterval,  // entries: way if unseen, if missing
  kLinearTest,
};

enum PlaceEnd : std::uint8_t {
  kGoesOn,
  kAnswers,
  kSharesOut,
};

// Entries of a table begin with those for the codes -2, unseen, and -1, missing.
inline constexpr std::uint32_t kBelowZero = 2;

static_assert(sizeof(Router::Place) == 32);

}  // namespace mixedwood

// How many scores a search may take where it is chosen for the caller: about a millisecond's worth.
#pragma once

namespace mixedwood {

inline constexpr long kAffordableScores = 1L << 15;

}  // namespace mixedwood

// How many scores a search may take where it is chosen for the caller: about a millisecond's worth.
#pragma once

#include <cstdint>

namespace mixedwood::partitioners {

inline constexpr std::int64_t kAffordableScores = 1 << 15;

}  // namespace mixedwood::partitioners

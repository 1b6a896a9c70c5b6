// Two groups of classes for a hyperplane to separate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/linear_model.hpp"

namespace mixedwood {

// Each way to group the classes, as a sign of each; `weights` are those of the classes. One class
// against the others comes for at most the `most` heaviest.
std::vector<std::vector<std::int8_t>> group_classes(MultiClass how,
                                                    std::span<const double> weights,
                                                    std::size_t most);

}  // namespace mixedwood

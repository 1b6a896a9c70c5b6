// What growers share on their way to and from Python.
#pragma once

#include <utility>
#include <vector>

#include "arrays.hpp"
#include "mixedwood/encoded_table.hpp"
#include "mixedwood/grow.hpp"

namespace mixedwood {

// The table with what its codes are borrowed from.
struct EncodedColumns {
  EncodedTable table;
  std::vector<nb::object> owners;
};

inline nb::dict arrays_of(GrownTree tree) {
  nb::dict result;
  for_each_array([&](const char* name, TreeList,
                     auto& array) { result[name] = hand_over(std::move(array)); },
                 tree);
  result["complete"] = tree.complete;
  return result;
}

}  // namespace mixedwood

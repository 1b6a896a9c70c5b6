// May a nominal column be used at a node at all? Asked before any partition is searched.
//
// To add a screener: one file in src/screeners/ with one class and one `make_...` function, and one
// line in registry.cpp.
#pragma once

#include "mixedwood/count_table.hpp"

namespace mixedwood {

class Screener {
 public:
  virtual ~Screener() = default;
  // The table holds the values and classes present at the node. A missing value is one of them,
  // as it is to the partition, unless rows without a value are shared out.
  virtual bool accepts(const CountTable& table) const = 0;
};

}  // namespace mixedwood

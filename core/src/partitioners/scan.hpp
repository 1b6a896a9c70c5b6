// An order plus a scan: go through the prefixes of an order of the values, keep the best.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "mixedwood/count_table.hpp"
#include "mixedwood/partitioner.hpp"
#include "mixedwood/scorer.hpp"

namespace mixedwood::partitioners {

using Order = std::vector<int>;

// Values by ascending key; equal keys keep the order of the values.
Order order_by(std::span<const double> keys);
void order_by(std::span<const double> keys, Order& order);

// Weight of the classes in `superclass` inside each value, and its proportion of the value's weight.
std::vector<double> superclass_weights(const CountTable& table, std::span<const int> superclass);
std::vector<double> proportions(const CountTable& table, std::span<const double> weights);
// Both at once, where memory is at hand already.
void superclass_proportions(const CountTable& table, std::span<const int> superclass,
                       std::vector<double>& result);

// The partition {first `length` of the order} | rest.
Sides sides_of_prefix(const Order& order, std::size_t length);

// Scans the prefixes of `order` and offers the best to `best`; the shortest wins ties.
// Returns true when it improved.
bool scan_prefixes(const Order& order, Scorer& scorer, Stop& stop, Grouping& best);

// The same for blocks of values that stay together. With `exchange`, each prefix is also tried
// with its last block and the next one exchanged.
bool scan_blocks(const std::vector<std::vector<int>>& blocks, Scorer& scorer, Stop& stop,
                 bool exchange, Grouping& best);

// Best prefix by the impurity of two superclasses. `in_class` and `total` are weights per item
// (values, or classes in flip-flop); the items are scanned in `order`. Returns the impurity and
// the length of the prefix.
std::pair<double, int> scan_two_classes(const Order& order, std::span<const double> in_class,
                                        std::span<const double> total, ImpurityKind kind);

// Offers such a partition with its score.
void offer_prefix(const Order& order, int length, Scorer& scorer, Grouping& best);

}  // namespace mixedwood::partitioners

// Routing rows through a tree.
#pragma once

#include <cstdint>
#include <span>

#include "mixedwood/tree.hpp"

namespace mixedwood {

// The node that answers each row: a leaf, or the inner node where a missing or unseen value stops.
// A tree that sends rows to several children has no such node: std::invalid_argument.
void route(const TreeView& tree, const TableView& table, std::span<std::int32_t> answers);

// Share of each row that each answering node gets, added up over `answers` (n_nodes x n_outputs)
// into `out` (n_rows x n_outputs). For trees with fractional children.
void distribute(const TreeView& tree, const TableView& table, std::span<const double> answers,
                std::size_t n_outputs, std::span<double> out);

}  // namespace mixedwood

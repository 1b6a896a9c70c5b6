// The rows of the training table, kept so that those of a node lie together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "counting.hpp"
#include "mixedwood/grow.hpp"

namespace mixedwood {

// Rows of one node: a stretch of the common list, or a list of their own where rows with a missing
// value are shared out (then a row may be in several nodes, each with a part of its weight).
struct RowSet {
  std::size_t begin = 0, end = 0;
  bool in_order = false;  // of the one column that varies among them; they move no more
  std::vector<std::int32_t> rows, classes;
  std::vector<double> weights;
};

class RowStore {
 public:
  RowStore(const GrowData& data, bool shared_out);

  // The rows that each tree starts from.
  std::vector<RowSet> starts() const;
  NodeRows view(const RowSet& set) const;
  // Divides a node's rows to its children; `child_of` maps code + 1 to a child, kFractional for all.
  std::vector<RowSet> partition(RowSet set, const std::int32_t* codes,
                           std::span<const std::int32_t> child_of, std::int32_t n_children);
  // Likewise to two children by a cut of an ordered column: codes up to `last_left` go left.
  std::vector<RowSet> partition_at(const RowSet& set, const std::int32_t* codes, std::int32_t last_left,
                              std::int32_t missing_child);
  // Likewise to two children, given for each row of the node.
  std::vector<RowSet> partition_as(const RowSet& set, std::span<const std::int32_t> children);
  bool in_place() const { return !shared_out_; }
  // Puts a node's rows in the order of a column, and remembers the classes of every block of them;
  // for rows that weigh 1. False, and nothing done, where a row has no value or it does not pay.
  bool put_in_order(RowSet& set, const EncodedColumn& column, std::size_t n_classes);
  // Likewise cuts a node whose rows are in the order of the column.
  std::vector<RowSet> cut_at(const RowSet& set, const std::int32_t* codes,
                             std::int32_t last_left) const;
  // Rows with positive weight.
  std::size_t size() const { return rows_.size(); }
  bool unit_weights() const { return weights_.empty(); }
  // How often a row of the list comes in it, on average over the list; copies lie together.
  double copies() const;
  // Every weight is a whole number.
  bool whole_weights() const;
  double mean_weight() const;

 private:
  std::vector<RowSet> partition_in_place(const RowSet& set, const std::int32_t* codes,
                                    std::span<const std::int32_t> child_of,
                                    std::int32_t n_children);
  template <typename GoesRight>
  std::vector<RowSet> partition_in_two(const RowSet& set, GoesRight goes_right);
  std::vector<RowSet> share_out(const RowSet& set, const std::int32_t* codes,
                                std::span<const std::int32_t> child_of, std::int32_t n_children);

  void add(const GrowData& data, std::size_t row);

  bool shared_out_;
  std::vector<std::size_t> starts_{0};
  std::vector<std::int32_t> rows_, classes_, other_rows_, other_classes_;
  std::vector<double> weights_, other_weights_;
  std::vector<std::uint64_t> keys_, other_keys_;
  BlockCounts blocks_;
};

}  // namespace mixedwood

// What growers share on their way to and from Python.
#pragma once

#include <utility>
#include <vector>

#include "arrays.hpp"
#include "mixedwood/coded_table.hpp"
#include "mixedwood/grow.hpp"

namespace mixedwood {

// The table with what its codes are borrowed from.
struct CodedColumns {
  CodedTable table;
  std::vector<nb::object> owners;
};

inline nb::dict arrays_of(GrownTree tree) {
  nb::dict result;
  result["split_kind"] = hand_over(std::move(tree.kind));
  result["column"] = hand_over(std::move(tree.column));
  result["low"] = hand_over(std::move(tree.low));
  result["high"] = hand_over(std::move(tree.high));
  result["child_offset"] = hand_over(std::move(tree.child_offset));
  result["children"] = hand_over(std::move(tree.children));
  result["category_offset"] = hand_over(std::move(tree.value_offset));
  result["category_code"] = hand_over(std::move(tree.value_code));
  result["category_child"] = hand_over(std::move(tree.value_child));
  if (!tree.intercept.empty()) {
    result["term_offset"] = hand_over(std::move(tree.term_offset));
    result["term_column"] = hand_over(std::move(tree.term_column));
    result["term_category"] = hand_over(std::move(tree.term_value));
    result["term_weight"] = hand_over(std::move(tree.term_weight));
    result["term_fill"] = hand_over(std::move(tree.term_fill));
    result["intercept"] = hand_over(std::move(tree.intercept));
  }
  result["missing_child"] = hand_over(std::move(tree.missing_child));
  result["unknown_child"] = hand_over(std::move(tree.unseen_child));
  result["weighted_n_node_samples"] = hand_over(std::move(tree.weight));
  result["statistics"] = hand_over(std::move(tree.counts));
  result["label"] = hand_over(std::move(tree.label));
  result["score"] = hand_over(std::move(tree.score));
  result["complete"] = tree.complete;
  return result;
}

}  // namespace mixedwood

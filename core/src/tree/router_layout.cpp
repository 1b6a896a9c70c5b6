#include "router_layout.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace mixedwood {

class Router::Layout {
 public:
  Layout(const TreeView& tree, const TableView& columns, Router& router)
      : tree_(tree), columns_(columns), router_(router) {}

  // Children stand side by side, parents first: level by level.
  void run() {
    for (std::uint32_t missing = 0; missing < kStays; ++missing)
      router_.entries_.push_back(number_table(missing));
    router_.entries_.push_back(0);
    make_room();
    add(0, kPredicts);
    for (std::size_t p = 0; p < places().size(); ++p) {
      const auto node = static_cast<std::size_t>(router_.node_[p]);
      if (is_end_[p] || tree_.split_kind[node] == kLeaf) continue;
      add_children(p, node);
      add_split(places()[p], node);
    }
    settle_ends();
    router_.first_round_ = common_steps();
    if (!distributes_) router_.fractions_ = {};
  }

 private:
  std::vector<Place>& places() { return router_.places_; }

  void make_room() {
    std::size_t n = tree_.split_kind.size();
    for (std::size_t node = 0; node < tree_.split_kind.size(); ++node)
      if (tree_.split_kind[node] != kLeaf) n += either(node, kStop) + either(node, kFractional);
    places().reserve(n);
    router_.node_.reserve(n);
    router_.fractions_.reserve(n);
    is_end_.reserve(n);
  }

  void add(std::int32_t node, PlaceEnd end, bool beside = false) {
    if (places().size() >= kMost) throw std::length_error("the tree is too large");
    Place place;
    place.end = end;
    place.first = static_cast<std::int32_t>(places().size());
    places().push_back(place);
    router_.node_.push_back(node);
    router_.fractions_.push_back({tree_.weighted_n_node_samples[at(node)], 0, 0});
    is_end_.push_back(beside);
  }

  void add_children(std::size_t p, std::size_t node) {
    const auto here = static_cast<std::int32_t>(node);
    const auto first = static_cast<std::int32_t>(places().size());
    const std::int32_t n_children = tree_.n_children(here);
    places()[p].first = first;
    places()[p].end = kGoesOn;
    for (std::int32_t c = 0; c < n_children; ++c) add(tree_.child(here, c), kPredicts);
    stop_ = fractional_ = n_children;
    if (either(node, kStop)) {
      add(here, kPredicts, true);
      ++fractional_;
    }
    if (either(node, kFractional)) {
      add(here, kDistributes, true);
      router_.fractions_.back().first = first;
      router_.fractions_.back().n_children = n_children;
      distributes_ = true;
    }
  }
  // Numbers can be missing but not unknown.
  bool has_numbers(std::size_t node) const {
    return tree_.split_kind[node] == kLinear || n_values(tree_.column[node]) == kNoCodes;
  }
  std::int32_t n_values(std::int32_t column) const {
    return router_.n_values_[at(column)];
  }
  bool either(std::size_t node, std::int32_t side) const {
    return tree_.missing_child[node] == side ||
           (tree_.unknown_child[node] == side && !has_numbers(node));
  }
  // Of a child or an end; after add_children of the same node.
  std::uint32_t branch_to(std::int32_t child) const {
    if (child == kStop) return static_cast<std::uint32_t>(stop_);
    if (child == kFractional) return static_cast<std::uint32_t>(fractional_);
    return static_cast<std::uint32_t>(child);
  }

  void add_split(Place& here, std::size_t node) {
    std::vector<std::uint32_t>& entries = router_.entries_;
    here.column = tree_.column[node];
    here.low = tree_.low[node];
    here.high = tree_.high[node];
    here.start = index_of_next(entries.size());
    const std::uint32_t missing = branch_to(tree_.missing_child[node]);
    const std::uint32_t unknown = branch_to(tree_.unknown_child[node]);
    if (has_numbers(node)) {
      here.missing = static_cast<std::uint8_t>(missing);
      here.split = kNumberSplit;
      here.start = missing;
      // An interval without numbers; of these bounds, too, each number is beyond just one.
      if (!(here.low < here.high)) here.low = here.high = -std::numeric_limits<double>::infinity();
      if (tree_.split_kind[node] == kLinear) {
        here.split = router_.only_split_ = kLinearSplit;
        here.start = router_.linear_.add(terms_of(tree_, static_cast<std::int32_t>(node)), columns_);
      }
      return;
    }
    // A table may take some room even when few values are listed, as deep in a tree; not more, or
    // a column of a million values would make the layout outgrow the tree.
    const auto n_codes = static_cast<std::size_t>(n_values(here.column));
    const auto first = static_cast<std::size_t>(tree_.category_offset[node]);
    const auto last = static_cast<std::size_t>(tree_.category_offset[node + 1]);
    const std::size_t max_entries = 16 + 4 * (last - first);
    const std::size_t n_branches = places().size() - static_cast<std::size_t>(here.first);
    if (n_branches <= 4 && n_codes / 16 <= max_entries) {
      here.split = kPairTable;
      here.coded = 1;
      here.low = here.high = std::numeric_limits<double>::quiet_NaN();
      entries.resize(here.start + pair_entries(n_codes), 0);
      fill(node, n_codes, unknown, missing, [&](std::size_t place, std::uint32_t branch) {
        entries[here.start + place / 16] |= branch << (place % 16 * 2);
      });
    } else if (tree_.split_kind[node] == kInterval) {
      here.split = kCodeInterval;
      entries.insert(entries.end(), {unknown, missing});
    } else if (n_codes <= max_entries) {
      here.split = kWideTable;
      entries.resize(here.start + n_codes + kBelowZero);
      fill(node, n_codes, unknown, missing,
           [&](std::size_t place, std::uint32_t branch) { entries[here.start + place] = branch; });
    } else {
      here.split = kLookUp;
      entries.insert(entries.end(), {static_cast<std::uint32_t>(last - first), unknown, missing});
      for (std::size_t v = first; v < last; ++v)
        entries.push_back(static_cast<std::uint32_t>(tree_.category_code[v]));
      for (std::size_t v = first; v < last; ++v)
        entries.push_back(static_cast<std::uint32_t>(tree_.category_child[v]));
    }
  }
  static std::uint32_t index_of_next(std::size_t size) {
    if (size > std::numeric_limits<std::uint32_t>::max())
      throw std::length_error("the tree is too large");
    return static_cast<std::uint32_t>(size);
  }
  static std::size_t pair_entries(std::size_t n_codes) { return (n_codes + kBelowZero + 15) / 16; }

  // Puts the branch of every code, once, counted from the code -2.
  template <typename Put>
  void fill(std::size_t node, std::size_t n_codes, std::uint32_t unknown, std::uint32_t missing,
            const Put& put) const {
    put(0, unknown);
    put(1, missing);
    if (tree_.split_kind[node] == kInterval) {
      for (std::size_t code = 0; code < n_codes; ++code) {
        const auto x = static_cast<double>(code);
        put(code + kBelowZero, x > tree_.low[node] && x <= tree_.high[node] ? 0u : 1u);
      }
      return;
    }
    auto v = static_cast<std::size_t>(tree_.category_offset[node]);
    const auto end = static_cast<std::size_t>(tree_.category_offset[node + 1]);
    for (std::size_t code = 0; code < n_codes; ++code) {
      const bool known = v < end && static_cast<std::size_t>(tree_.category_code[v]) == code;
      put(code + kBelowZero, known ? static_cast<std::uint32_t>(tree_.category_child[v]) : unknown);
      if (known) ++v;
    }
  }

  // Steps that all but an eighth of the training weight takes.
  int common_steps() const {
    std::vector<int> depth(router_.places_.size(), 0);  // of nodes; ends beside them do not matter
    std::vector<double> ended;
    double total = 0.0;
    for (std::size_t p = 0; p < depth.size(); ++p) {
      const Place& here = router_.places_[p];
      if (is_end_[p]) continue;
      if (here.end != kGoesOn) {
        ended.resize(std::max(ended.size(), static_cast<std::size_t>(depth[p]) + 1), 0.0);
        ended[at(depth[p])] += router_.fractions_[p].weight;
        total += router_.fractions_[p].weight;
        continue;
      }
      const auto node = router_.node_[p];
      for (std::int32_t c = 0; c < tree_.n_children(node); ++c)
        depth[at(here.first + c)] = depth[p] + 1;
    }
    double before = 0.0;
    int steps = 0;
    while (static_cast<std::size_t>(steps) < ended.size() &&
           before + ended[at(steps)] <= total / 8)
      before += ended[at(steps++)];
    return std::clamp(steps, 1, 64);
  }

  // Gives the ends a split that always leads back to them, of a kind that the tree has anyway: then
  // walking on the spot is nothing special. No number is outside an interval without bounds.
  void settle_ends() {
    const Place* numbers = nullptr;
    const Place* pairs = nullptr;
    bool others = false;
    for (const Place& here : places()) {
      if (here.split == kNumberSplit) numbers = &here;
      if (here.split == kPairTable) pairs = &here;
      others |= here.split > kPairTable;
    }
    Place end;
    end.low = end.high = std::numeric_limits<double>::quiet_NaN();
    end.start = kStays;
    if (numbers != nullptr) {
      end.split = kNumberSplit;
      end.column = numbers->column;
    } else if (pairs != nullptr) {
      end.split = kPairTable;
      end.column = pairs->column;
      end.start = index_of_next(router_.entries_.size());
      const auto n_codes = static_cast<std::size_t>(n_values(end.column));
      router_.entries_.resize(end.start + pair_entries(n_codes), 0);
    }
    if (!others) {
      const bool both = numbers != nullptr && pairs != nullptr;
      router_.only_split_ = both ? std::uint8_t{kNumberOrPair} : end.split;
      if (both) list_columns();
    }
    for (Place& here : places()) {
      if (here.end == kGoesOn) continue;
      end.first = here.first;
      end.end = here.end;
      here = end;
    }
  }

  void list_columns() {
    std::vector<bool> met(router_.n_values_.size(), false);
    for (const Place& here : places())
      if (here.end == kGoesOn) met[at(here.column)] = true;
    for (std::size_t c = 0; c < met.size(); ++c)
      if (met[c]) router_.tested_.push_back(static_cast<std::int32_t>(c));
  }

  static constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max() - 2;
  const TreeView& tree_;
  const TableView& columns_;
  Router& router_;
  std::vector<char> is_end_;
  std::int32_t stop_ = 0, fractional_ = 0;  // branches to the ends of the last node
  bool distributes_ = false;
};

Router::Router(const TreeView& tree, const TableView& columns) : n_nodes_(tree.split_kind.size()) {
  check_tree(tree, columns);
  for (const ColumnView& column : columns.columns)
    n_values_.push_back(column.codes == nullptr ? kNoCodes : column.n_values);
  Layout(tree, columns, *this).run();
}

}  // namespace mixedwood

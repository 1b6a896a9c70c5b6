#include "mixedwood/router.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "cells.hpp"
#include "router_layout.hpp"

namespace mixedwood {
namespace {

// Small enough for the caches of any machine, large enough that a round costs nothing to start.
constexpr std::size_t kBlockRows = 512;
constexpr std::size_t kPartRows = 1 << 15;  // that one tree routes before the next
constexpr int kSteps = 3;  // of a round after the first

using Place = Router::Place;

inline const ColumnView& column_of(const Place& here, const ColumnView* columns) {
  return columns[here.column];
}

inline std::int32_t number_branch(const Place& here, const ColumnView* columns, std::size_t row) {
  const double x = column_of(here, columns).numbers[row];
  if (x != x) [[unlikely]]
    return here.missing;
  return static_cast<std::int32_t>((x <= here.low) | (x > here.high));
}

inline std::int32_t pair_branch(const Place& here, const ColumnView* columns,
                             const std::uint32_t* entries, std::size_t row) {
  const std::uint32_t entry = entry_of(column_of(here, columns), row);
  return static_cast<std::int32_t>(entries[here.start + entry / 16] >> (entry % 16 * 2) & 3u);
}

// Of a linear split.
inline std::int32_t side_of(const Place& here, double sum) {
  return sum > 0.0 ? 0 : sum <= 0.0 ? 1 : here.missing;
}

// Of a split of either kind, without a branch to guess: the bounds of a pair table are no numbers, so
// that nothing is above or below them.
inline std::uint32_t cell_branch(const Place& here, const Cells& cells, const std::uint32_t* entries,
                              std::size_t row) {
  const std::uint64_t cell = cells.at(here.column, row);
  const auto x = std::bit_cast<double>(cell);
  const std::uint32_t entry = (static_cast<std::uint32_t>(cell) & (0u - here.coded)) |
                              static_cast<std::uint32_t>(x > here.low) |
                              static_cast<std::uint32_t>(x <= here.high) << 1;
  return entries[here.start + entry / 16] >> (entry % 16 * 2) & 3u;
}

// Every row of a block walks to its end. Rows walk in groups, whose steps do not wait for each
// other, and no branch depends on where a row goes; a row that is at its end walks on the spot
// until the round is over. The first round is as long as most rows walk, the others are short: the
// cost is about that of the steps taken, however uneven the tree.
template <std::size_t kGroup, typename Branch>
void walk(const Place* places, int steps, std::size_t n, std::int32_t* place, const Branch& branch) {
  std::array<std::uint16_t, kBlockRows + kGroup> rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows[i] = static_cast<std::uint16_t>(i);
    place[i] = 0;
  }
  std::size_t left = places[0].end == kGoesOn ? n : 0;
  while (left > 0) {
    // The last group is filled up with the last row, which takes the same steps again.
    std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>(left), kGroup, rows[left - 1]);
    for (std::size_t g = 0; g < left; g += kGroup) {
      const std::uint16_t* const row = rows.data() + g;
      const Place* here[kGroup];
      [&]<std::size_t... k>(std::index_sequence<k...>) {
        ((here[k] = places + place[row[k]]), ...);
        for (int step = 0; step < steps; ++step)
          ((here[k] = places + here[k]->first + branch(*here[k], row[k])), ...);
        ((place[row[k]] = static_cast<std::int32_t>(here[k] - places)), ...);
      }(std::make_index_sequence<kGroup>{});
    }
    std::size_t kept = 0;
    for (std::size_t w = 0; w < left; ++w) {
      rows[kept] = rows[w];
      kept += places[place[rows[w]]].end == kGoesOn;
    }
    left = kept;
    steps = kSteps;
  }
}

// Rows are ascending already.
void sort_by_branch(std::span<std::uint64_t> rows) {
  std::array<std::size_t, 5> next{};
  for (const std::uint64_t row : rows) {
    if (row >> 32 > 3) {
      std::sort(rows.begin(), rows.end());
      return;
    }
    ++next[(row >> 32) + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::array<std::uint64_t, kBlockRows> placed;
  for (const std::uint64_t row : rows) placed[next[row >> 32]++] = row;
  std::copy_n(placed.begin(), rows.size(), rows.begin());
}

}  // namespace

inline std::int32_t Router::branch(const Place& here, const TableView& table, std::size_t row) const {
  const ColumnView* const columns = table.columns.data();
  if (here.split == kNumberSplit) return number_branch(here, columns, row);
  if (here.split == kPairTable) return pair_branch(here, columns, entries_.data(), row);
  const std::uint32_t* const entries = entries_.data() + here.start;
  switch (here.split) {
    case kWideTable:
      return static_cast<std::int32_t>(entries[entry_of(column_of(here, columns), row)]);
    case kLookUp: {
      const std::uint32_t entry = entry_of(column_of(here, columns), row);
      if (entry < kBelowZero) return static_cast<std::int32_t>(entries[1 + entry]);
      const std::uint32_t* const first = entries + 3;
      const std::uint32_t* const last = first + entries[0];
      const std::uint32_t* const found = std::lower_bound(first, last, entry - kBelowZero);
      const bool known = found != last && *found == entry - kBelowZero;
      return static_cast<std::int32_t>(known ? found[entries[0]] : entries[1]);
    }
    case kCodeInterval: {
      const std::uint32_t entry = entry_of(column_of(here, columns), row);
      if (entry < kBelowZero) return static_cast<std::int32_t>(entries[entry]);
      const auto x = static_cast<double>(entry - kBelowZero);
      return x > here.low && x <= here.high ? 0 : 1;
    }
    case kLinearSplit: {
      const auto only = static_cast<std::int32_t>(row);
      double sum = 0.0;
      linear_.sums(here.start, table, {&only, 1}, {&sum, 1});
      return side_of(here, sum);
    }
    default:
      return 0;
  }
}

void Router::walk_together(const TableView& table, std::size_t start, std::size_t n,
                           std::int32_t* place) const {
  struct Group {
    std::int32_t place;
    std::size_t begin, end;
  };
  std::array<std::int32_t, kBlockRows> rows;
  std::array<double, kBlockRows> sums;
  std::array<std::uint64_t, kBlockRows> sorted;  // by branch, then by row
  std::iota(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n),
            static_cast<std::int32_t>(start));
  std::vector<Group> pending{{0, 0, n}};
  while (!pending.empty()) {
    const Group group = pending.back();
    pending.pop_back();
    const Place& here = places_[at(group.place)];
    const std::span<std::int32_t> its(rows.data() + group.begin, group.end - group.begin);
    if (here.end != kGoesOn) {
      for (const std::int32_t row : its) place[at(row) - start] = group.place;
      continue;
    }
    if (here.split == kLinearSplit) linear_.sums(here.start, table, its, sums);
    for (std::size_t i = 0; i < its.size(); ++i) {
      const auto row = static_cast<std::size_t>(its[i]);
      const std::int32_t to =
          here.split == kLinearSplit ? side_of(here, sums[i]) : branch(here, table, row);
      sorted[i] = static_cast<std::uint64_t>(to) << 32 | row;
    }
    sort_by_branch({sorted.data(), its.size()});
    for (std::size_t first = 0, last = 0; first < its.size(); first = last) {
      const std::uint64_t to = sorted[first] >> 32;
      for (; last < its.size() && sorted[last] >> 32 == to; ++last)
        its[last] = static_cast<std::int32_t>(sorted[last]);
      pending.push_back({here.first + static_cast<std::int32_t>(to), group.begin + first,
                         group.begin + last});
    }
  }
}

void Router::check_table(const TableView& table) const {
  bool alike = table.columns.size() == n_values_.size();
  for (std::size_t c = 0; alike && c < n_values_.size(); ++c) {
    const ColumnView& column = table.columns[c];
    alike = n_values_[c] == kNoCodes ? column.numbers != nullptr
                                     : column.codes != nullptr && column.n_values == n_values_[c];
  }
  if (!alike) throw std::invalid_argument("the columns are not those of the tree");
}

template <typename Visit>
void Router::for_each_block(const TableView& table, const Cells* cells, Visit visit) const {
  const ColumnView* const columns = table.columns.data();
  const std::uint32_t* const entries = entries_.data();
  const Place* const places = places_.data();
  std::array<std::int32_t, kBlockRows> place;
  for (std::size_t start = 0; start < table.n_rows; start += kBlockRows) {
    const std::size_t n = std::min(kBlockRows, table.n_rows - start);
    if (only_split_ == kLinearSplit) {
      walk_together(table, start, n, place.data());
    } else if (only_split_ == kNumberSplit) {
      walk<8>(places, first_round_, n, place.data(), [=](const Place& here, std::size_t row) {
        return number_branch(here, columns, start + row);
      });
    } else if (only_split_ == kPairTable) {
      walk<8>(places, first_round_, n, place.data(), [=](const Place& here, std::size_t row) {
        return pair_branch(here, columns, entries, start + row);
      });
    } else if (only_split_ == kNumberOrPair && cells != nullptr) {
      walk<8>(places, first_round_, n, place.data(), [=](const Place& here, std::size_t row) {
        return cell_branch(here, *cells, entries, start + row);
      });
    } else {
      walk<8>(places, first_round_, n, place.data(),
              [&](const Place& here, std::size_t row) { return branch(here, table, start + row); });
    }
    visit(start, std::span<const std::int32_t>(place.data(), n));
  }
}

namespace {

// Rows as cells, if that is worth it: a row that takes few steps needs few of its columns.
template <typename Visit>
void for_each_part_of(std::span<const std::int32_t> columns, std::size_t steps,
                      const TableView& table, std::size_t first, std::size_t last, Visit visit) {
  std::optional<Cells> cells;
  if (!columns.empty() && columns.size() <= 2 * steps) cells.emplace(columns);
  const std::size_t n_rows = cells ? cells->n_rows() : kPartRows;
  TableView part;
  for (std::size_t begin = first; begin < last; begin += n_rows) {
    part.columns.clear();
    part.n_rows = std::min(n_rows, last - begin);
    for (const ColumnView& column : table.columns)
      part.columns.push_back({column.codes == nullptr ? nullptr : column.codes + begin,
                              column.numbers == nullptr ? nullptr : column.numbers + begin,
                              column.n_values});
    if (cells) cells->fill(part);
    visit(begin, part, cells ? &*cells : nullptr);
  }
}

}  // namespace

template <typename Visit>
void Router::for_each_part(const TableView& table, Visit visit) const {
  check_table(table);
  for_each_part_of(tested_, static_cast<std::size_t>(first_round_), table, 0, table.n_rows, visit);
}

void Router::route(const TableView& table, std::span<std::int32_t> nodes) const {
  for_each_part(table, [&](std::size_t first, const TableView& part, const Cells* cells) {
    for_each_block(part, cells, [&](std::size_t row, std::span<const std::int32_t> place) {
      bool distributed = false;
      for (std::size_t i = 0; i < place.size(); ++i) {
        const auto p = static_cast<std::size_t>(place[i]);
        distributed |= places_[p].end == kDistributes;
        nodes[first + row + i] = node_[p];
      }
      if (distributed)
        throw std::invalid_argument(
            "The tree distributes some of these rows over several leaves, as C4.5 does with missing "
            "values, so they reach no single node. Use predict or predict_proba instead.");
    });
  });
}

// Distributes one row: calls `arrive` with each node that it reaches and the fraction that arrives
// there. `pending` is a buffer.
template <typename Arrive>
void Router::distribute_row(const TableView& table, std::size_t row, std::int32_t place,
                       std::vector<std::pair<std::int32_t, double>>& pending,
                       Arrive arrive) const {
  pending.assign(1, {place, 1.0});
  while (!pending.empty()) {
    const auto [place_now, part] = pending.back();
    pending.pop_back();
    const std::size_t p = at(place_now);
    const Place& here = places_[p];
    if (here.end == kGoesOn) {
      pending.emplace_back(here.first + branch(here, table, row), part);
      continue;
    }
    double reached = 0.0;
    const auto first = static_cast<std::size_t>(fractions_[p].first);
    const auto n_children = static_cast<std::size_t>(fractions_[p].n_children);
    for (std::size_t c = 0; c < n_children; ++c) reached += fractions_[first + c].weight;
    if (reached > 0.0) {
      for (std::size_t c = 0; c < n_children; ++c) {
        const double fraction = fractions_[first + c].weight / reached;
        if (fraction > 0.0) pending.emplace_back(static_cast<std::int32_t>(first + c), part * fraction);
      }
    } else {
      arrive(static_cast<std::size_t>(node_[p]), part);
    }
  }
}

void Router::distribute(const TableView& table, std::span<const double> values,
                        std::size_t n_outputs, std::span<double> out) const {
  std::vector<std::pair<std::int32_t, double>> pending;
  for_each_part(table, [&](std::size_t first, const TableView& part, const Cells* cells) {
    for_each_block(part, cells, [&](std::size_t row, std::span<const std::int32_t> place) {
      for (std::size_t i = 0; i < place.size(); ++i) {
        const auto its = out.subspan((first + row + i) * n_outputs, n_outputs);
        const auto p = static_cast<std::size_t>(place[i]);
        if (places_[p].end == kDistributes) {
          std::fill(its.begin(), its.end(), 0.0);
          distribute_row(part, row + i, place[i], pending, [&](std::size_t node, double fraction) {
            for (std::size_t l = 0; l < n_outputs; ++l)
              its[l] += fraction * values[node * n_outputs + l];
          });
        } else {
          const auto node = static_cast<std::size_t>(node_[p]);
          std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(node * n_outputs), n_outputs,
                      its.begin());
        }
      }
    });
  });
}

void Router::add_class_weights(const TableView& table, std::span<const std::int32_t> classes,
                          std::span<const double> weights, std::size_t n_classes,
                          std::span<double> out) const {
  if (classes.size() != table.n_rows || (!weights.empty() && weights.size() != table.n_rows) ||
      out.size() != n_nodes() * n_classes)
    throw std::invalid_argument("a class and a weight are needed for each row");
  for (const std::int32_t cls : classes)
    if (cls < 0 || static_cast<std::size_t>(cls) >= n_classes)
      throw std::invalid_argument("a class is out of range");
  std::vector<std::pair<std::int32_t, double>> pending;
  for_each_part(table, [&](std::size_t first, const TableView& part, const Cells* cells) {
    for_each_block(part, cells, [&](std::size_t row, std::span<const std::int32_t> place) {
      for (std::size_t i = 0; i < place.size(); ++i) {
        const std::size_t r = first + row + i;
        const double weight = weights.empty() ? 1.0 : weights[r];
        const auto add = [&](std::size_t node, double fraction) {
          out[node * n_classes + static_cast<std::size_t>(classes[r])] += weight * fraction;
        };
        const auto p = static_cast<std::size_t>(place[i]);
        if (places_[p].end == kDistributes)
          distribute_row(part, row + i, place[i], pending, add);
        else
          add(static_cast<std::size_t>(node_[p]), 1.0);
      }
    });
  });
}

void Router::add_up(std::span<const Member> members, const TableView& table, std::size_t first,
                    std::size_t last, double* out, std::size_t stride) {
  std::vector<bool> tested(table.columns.size(), false);
  std::size_t steps = 0;
  for (const Member& member : members) {
    member.router->check_table(table);
    for (const std::int32_t column : member.router->tested_)
      tested[at(column)] = true;
    if (!member.router->tested_.empty())
      steps += static_cast<std::size_t>(member.router->first_round_);
  }
  std::vector<std::int32_t> columns;
  for (std::size_t c = 0; c < tested.size(); ++c)
    if (tested[c]) columns.push_back(static_cast<std::int32_t>(c));
  for_each_part_of(columns, steps, table, first, last,
                   [&](std::size_t begin, const TableView& part, const Cells* cells) {
                     for (const Member& member : members)
                       member.router->add(part, cells, member.vote,
                                          out + begin * stride + member.place, stride);
                   });
}

void Router::add(const TableView& part, const Cells* cells, const Vote& vote, double* out,
                 std::size_t stride) const {
  constexpr double kEqual = 1e-6;
  const std::size_t k = vote.n_outputs;
  std::vector<std::pair<std::int32_t, double>> pending;
  std::vector<double> fractions;
  for_each_block(part, cells, [&](std::size_t row, std::span<const std::int32_t> place) {
    for (std::size_t i = 0; i < place.size(); ++i) {
      double* const its = out + (row + i) * stride;
      const auto p = static_cast<std::size_t>(place[i]);
      if (places_[p].end != kDistributes) [[likely]] {
        const auto node = static_cast<std::size_t>(node_[p]);
        if (vote.labels.empty()) {
          const double* const value = vote.values.data() + node * k;
          for (std::size_t l = 0; l < k; ++l) its[l] += vote.weight * value[l];
        } else {
          its[vote.labels[node]] += vote.weight;
        }
        continue;
      }
      fractions.assign(k, 0.0);
      distribute_row(part, row + i, place[i], pending, [&](std::size_t node, double fraction) {
        for (std::size_t l = 0; l < k; ++l) fractions[l] += fraction * vote.values[node * k + l];
      });
      if (vote.labels.empty()) {
        for (std::size_t l = 0; l < k; ++l) its[l] += vote.weight * fractions[l];
      } else {
        const double most = *std::max_element(fractions.begin(), fractions.end());
        // Not below rather than at least: also of values that are no numbers there is a first.
        const auto first = std::find_if(fractions.begin(), fractions.end(),
                                        [&](double fraction) { return !(fraction < most - kEqual); });
        its[first - fractions.begin()] += vote.weight;
      }
    }
  });
}

}  // namespace mixedwood

#include "sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace mixedwood {
namespace {

// What is worth another thread.
constexpr std::size_t kAdditionsWorthAThread = 10'000;
constexpr std::size_t kDerivativesWorthAThread = 5'000;

// Target statistics: parts of the rows, and up to how many categories are sorted instead.
constexpr std::size_t kParts = 8;  // one bit each in a byte
constexpr std::int32_t kFewCategories = 4;

constexpr double kMost = std::numeric_limits<double>::max();

}  // namespace

Scale::Scale(const GradientData& data, Workers& workers) {
  struct Largest {
    double gradient = 0.0, hessian = 0.0;
    bool valid = true;
  };
  const std::size_t n_parts =
      workers.parts(data.rows.size() * data.n_outputs, kDerivativesWorthAThread);
  std::vector<Largest> of_part(n_parts);
  workers.run(n_parts, [&](std::size_t part) {
    Largest largest;
    const std::size_t end = Workers::begin(data.rows.size(), part + 1, n_parts);
    for (std::size_t r = Workers::begin(data.rows.size(), part, n_parts); r < end; ++r) {
      for (std::size_t d = 0; d < data.n_outputs; ++d) {
        const std::size_t i = static_cast<std::size_t>(data.rows[r]) * data.n_outputs + d;
        const double gradient = std::abs(data.gradients[i]), hessian = data.hessians[i];
        largest.valid &= gradient <= kMost && hessian >= 0.0 && hessian <= kMost;
        largest.gradient = std::max(largest.gradient, gradient);
        largest.hessian = std::max(largest.hessian, hessian);
      }
    }
    of_part[part] = largest;
  });
  double gradient = 0.0, hessian = 0.0;
  for (const Largest& largest : of_part) {
    if (!largest.valid)
      throw std::invalid_argument("derivatives must be finite, hessians zero or more");
    gradient = std::max(gradient, largest.gradient);
    hessian = std::max(hessian, largest.hessian);
  }
  set(gradient, hessian, data.rows.size());
}

void Scale::set(double gradient, double hessian, std::size_t n_rows) {
  // Each sum has 63 bits. Rows take as many as it takes to count them, and again to add them up.
  // There are fewer than 2^31 rows, so that at least one bit is left.
  row_bits_ = static_cast<int>(std::bit_width(n_rows));
  row_mask_ = (std::int64_t{1} << row_bits_) - 1;
  const int hessian_bits = std::min(63 - 2 * row_bits_, 40);
  const int gradient_bits = std::min(62 - row_bits_, 50);
  // Powers of two, so that scaling rounds nothing but the last bit; none that is infinite, or
  // whose inverse is.
  const auto power = [](double largest, int bits) {
    return largest > 0.0 ? std::ldexp(1.0, std::min(bits - 1 - std::ilogb(largest), 1022)) : 1.0;
  };
  to_gradient_ = power(gradient, gradient_bits);
  to_hessian_ = power(hessian, hessian_bits);
  from_gradient_ = 1.0 / to_gradient_;
  from_hessian_ = 1.0 / to_hessian_;
}

SumLayout::SumLayout(const BinnedSchema& table, const GradientSettings& settings,
                     std::size_t n_outputs)
    : n_columns_(table.columns().size()), in_parts_(n_columns_, false) {
  if (settings.category_order == CategoryOrder::kTargetStatistics)
    for (std::size_t c = 0; c < n_columns_; ++c) {
      const auto& column = table.columns()[c];
      in_parts_[c] = !column.ordered && column.n_bins - 1 > kFewCategories;
      if (in_parts_[c]) n_parts_ = kParts;
    }
  first_.resize(n_parts_ * n_columns_);
  for (std::size_t c = 0; c < n_columns_; ++c) {
    const std::size_t block = static_cast<std::size_t>(table.columns()[c].n_bins) * n_outputs;
    for (std::size_t part = 0; part < n_parts_; ++part)
      first_[part * n_columns_ + c] = size_ + (in_parts_[c] ? part * block : 0);
    size_ += (in_parts_[c] ? n_parts_ : 1) * block;
  }
  n_cells_ = size_ / n_outputs;
}

Adder::Adder(const BinnedTable& table, const GradientData& data, const Scale& scale,
             const SumLayout& layout, std::span<const std::uint8_t> part_of_row, Workers& workers)
    : table_(table),
      n_outputs_(data.n_outputs),
      layout_(layout),
      part_of_row_(part_of_row),
      workers_(workers),
      of_row_(std::make_unique_for_overwrite<Sum[]>(table.n_rows() * data.n_outputs)) {
  const std::size_t n_parts =
      workers.parts(data.rows.size() * n_outputs_, kDerivativesWorthAThread);
  workers.run(n_parts, [&](std::size_t part) {
    const std::size_t end = Workers::begin(data.rows.size(), part + 1, n_parts);
    for (std::size_t r = Workers::begin(data.rows.size(), part, n_parts); r < end; ++r)
      for (std::size_t d = 0; d < n_outputs_; ++d) {
        const std::size_t i = static_cast<std::size_t>(data.rows[r]) * n_outputs_ + d;
        of_row_[i] = scale.sum(data.gradients[i], data.hessians[i]);
      }
  });
}

template <bool kParts, bool kTakeOff, typename Bin>
void Adder::add_rows(const Bin* bins, std::span<const std::int32_t> rows,
                     std::size_t first_column, std::size_t last_column, Sums& sums) const {
  const std::size_t n_columns = table_.columns().size();
  const std::size_t* first = layout_.first(0);
  Sum* const into = sums.data();
  const auto add = [](Sum& to, const Sum& its) { kTakeOff ? to -= its : to += its; };
  if (n_outputs_ == 1) {
    for (const std::int32_t row : rows) {
      if constexpr (kParts) first = layout_.first(part_of_row_[at(row)]);
      const Sum its = of_row_[at(row)];
      const Bin* const bin = bins + static_cast<std::size_t>(row) * n_columns;
      for (std::size_t c = first_column; c < last_column; ++c) add(into[first[c] + bin[c]], its);
    }
    return;
  }
  for (const std::int32_t row : rows) {
    if constexpr (kParts) first = layout_.first(part_of_row_[at(row)]);
    const Sum* const its = of_row_.get() + static_cast<std::size_t>(row) * n_outputs_;
    const Bin* const bin = bins + static_cast<std::size_t>(row) * n_columns;
    for (std::size_t c = first_column; c < last_column; ++c) {
      Sum* const cell = into + first[c] + bin[c] * n_outputs_;
      for (std::size_t d = 0; d < n_outputs_; ++d) add(cell[d], its[d]);
    }
  }
}

void Adder::take_off(std::span<const std::int32_t> rows, Sums& sums) const {
  const std::size_t n_columns = table_.columns().size();
  std::visit(
      [&](const auto& bins) {
        if (part_of_row_.empty())
          add_rows<false, true>(bins.data(), rows, 0, n_columns, sums);
        else
          add_rows<true, true>(bins.data(), rows, 0, n_columns, sums);
      },
      table_.bins());
}

void Adder::add_column(std::span<const std::int32_t> rows, std::size_t column, Sum* sums,
                       std::uint8_t* parts_of_bin) const {
  const std::size_t n_columns = table_.columns().size();
  const auto n_bins = static_cast<std::size_t>(table_.columns()[column].n_bins);
  const bool in_parts = layout_.in_parts(column);
  std::visit(
      [&](const auto& bins) {
        const auto* const its_bins = bins.data() + column;
        for (const std::int32_t row : rows) {
          const std::size_t bin = its_bins[at(row) * n_columns];
          const std::size_t part = in_parts ? part_of_row_[at(row)] : 0;
          parts_of_bin[bin] |= static_cast<std::uint8_t>(1U << part);
          const Sum* const its = of_row_.get() + at(row) * n_outputs_;
          Sum* const cell = sums + (part * n_bins + bin) * n_outputs_;
          for (std::size_t d = 0; d < n_outputs_; ++d) cell[d] += its[d];
        }
      },
      table_.bins());
}

// Threads share out the rows when there are many of them for each sum, and else the columns: then
// there is nothing to put together.
Sums Adder::add_up(std::span<const std::int32_t> rows) const {
  const std::size_t size = layout_.size(), n_columns = table_.columns().size();
  const std::size_t n_parts =
      workers_.parts(rows.size() * n_columns * n_outputs_, kAdditionsWorthAThread);
  const auto add = [&](std::span<const std::int32_t> some, std::size_t first, std::size_t last,
                       Sums& sums) {
    std::visit(
        [&](const auto& bins) {
          if (part_of_row_.empty())
            add_rows<false, false>(bins.data(), some, first, last, sums);
          else
            add_rows<true, false>(bins.data(), some, first, last, sums);
        },
        table_.bins());
  };
  if (n_parts > 1 && rows.size() / (size + 1) < 4 * n_parts && n_columns >= n_parts) {
    Sums sums(size);
    workers_.run(n_parts, [&](std::size_t part) {
      add(rows, Workers::begin(n_columns, part, n_parts),
          Workers::begin(n_columns, part + 1, n_parts), sums);
    });
    return sums;
  }
  std::vector<Sums> of_part(n_parts);
  workers_.run(n_parts, [&](std::size_t part) {
    of_part[part].resize(size);
    const std::size_t begin = Workers::begin(rows.size(), part, n_parts);
    const std::size_t end = Workers::begin(rows.size(), part + 1, n_parts);
    add(rows.subspan(begin, end - begin), 0, n_columns, of_part[part]);
  });
  for (std::size_t part = 1; part < n_parts; ++part)
    for (std::size_t i = 0; i < size; ++i) of_part[0][i] += of_part[part][i];
  return std::move(of_part[0]);
}

Sum Adder::total(std::span<const std::int32_t> rows, std::size_t output) const {
  Sum sum;
  for (const std::int32_t row : rows)
    sum += of_row_[at(row) * n_outputs_ + output];
  return sum;
}

}  // namespace mixedwood

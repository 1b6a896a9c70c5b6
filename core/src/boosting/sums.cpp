#include "sums.hpp"

#include <algorithm>

namespace mixedwood {
namespace {

// Additions that are worth another thread.
constexpr std::size_t kWorthAThread = 40'000;

}  // namespace

Scale::Scale(const BoostData& data) {
  double gradient = 0.0, hessian = 0.0;
  for (const std::int32_t row : data.rows) {
    for (std::size_t d = 0; d < data.n_outputs; ++d) {
      const std::size_t i = static_cast<std::size_t>(row) * data.n_outputs + d;
      gradient = std::max(gradient, std::abs(data.gradients[i]));
      hessian = std::max(hessian, data.hessians[i]);
    }
  }
  // Each sum has 63 bits. Rows take as many as it takes to count them, and again to add them up.
  // There are fewer than 2^31 rows, so that at least one bit is left.
  row_bits_ = static_cast<int>(std::bit_width(data.rows.size()));
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

Adder::Adder(const BinnedTable& table, const BoostData& data, const Scale& scale, int n_threads)
    : table_(table), n_outputs_(data.n_outputs), n_threads_(n_threads) {
  of_row_.resize(table.n_rows() * n_outputs_);
  for (const std::int32_t row : data.rows)
    for (std::size_t d = 0; d < n_outputs_; ++d) {
      const std::size_t i = static_cast<std::size_t>(row) * n_outputs_ + d;
      of_row_[i] = scale.sum(data.gradients[i], data.hessians[i]);
    }
  for (const auto& column : table.columns()) first_.push_back(column.first * n_outputs_);
}

template <typename Bin>
void Adder::add_rows(const Bin* bins, std::span<const std::int32_t> rows, Sums& sums) const {
  const std::size_t n_columns = first_.size();
  const std::size_t* const first = first_.data();
  if (n_outputs_ == 1) {
    for (const std::int32_t row : rows) {
      const Sum its = of_row_[static_cast<std::size_t>(row)];
      const Bin* const bin = bins + static_cast<std::size_t>(row) * n_columns;
      for (std::size_t c = 0; c < n_columns; ++c) sums[first[c] + bin[c]] += its;
    }
    return;
  }
  for (const std::int32_t row : rows) {
    const Sum* const its = of_row_.data() + static_cast<std::size_t>(row) * n_outputs_;
    const Bin* const bin = bins + static_cast<std::size_t>(row) * n_columns;
    for (std::size_t c = 0; c < n_columns; ++c) {
      Sum* const cell = sums.data() + first[c] + bin[c] * n_outputs_;
      for (std::size_t d = 0; d < n_outputs_; ++d) cell[d] += its[d];
    }
  }
}

Sums Adder::add_up(std::span<const std::int32_t> rows) const {
  const std::size_t size = table_.n_bins() * n_outputs_;
  const std::size_t work = rows.size() * first_.size() * n_outputs_;
  const std::size_t parts = std::clamp<std::size_t>(
      std::min(work / kWorthAThread, rows.size() / (size + 1)), 1,
      static_cast<std::size_t>(std::max(n_threads_, 1)));
  std::vector<Sums> sums(parts);
  const auto add_part = [&](std::size_t part) {
    sums[part].resize(size);
    const std::size_t begin = rows.size() * part / parts, end = rows.size() * (part + 1) / parts;
    std::visit([&](const auto& bins) { add_rows(bins.data(), rows.subspan(begin, end - begin), sums[part]); },
               table_.bins());
  };
  std::vector<std::thread> threads;
  for (std::size_t part = 1; part < parts; ++part) threads.emplace_back(add_part, part);
  add_part(0);
  for (std::thread& thread : threads) thread.join();
  for (std::size_t part = 1; part < parts; ++part)
    for (std::size_t i = 0; i < size; ++i) sums[0][i] += sums[part][i];
  return std::move(sums[0]);
}

Sum Adder::total(std::span<const std::int32_t> rows, std::size_t output) const {
  Sum sum;
  for (const std::int32_t row : rows)
    sum += of_row_[static_cast<std::size_t>(row) * n_outputs_ + output];
  return sum;
}

}  // namespace mixedwood

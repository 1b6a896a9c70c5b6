#include "mixedwood/columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "text_index.hpp"

namespace mixedwood {
namespace {

template <typename Visit>
void with_cells(const CellArray& cells, const Visit& visit) {
  const auto call = [&](auto type) {
    visit(static_cast<const decltype(type)*>(cells.data));
  };
  switch (cells.type) {
    case CellType::int8: return call(std::int8_t{});
    case CellType::uint8: return call(std::uint8_t{});
    case CellType::int16: return call(std::int16_t{});
    case CellType::uint16: return call(std::uint16_t{});
    case CellType::int32: return call(std::int32_t{});
    case CellType::uint32: return call(std::uint32_t{});
    case CellType::int64: return call(std::int64_t{});
    case CellType::uint64: return call(std::uint64_t{});
    case CellType::float32: return call(float{});
    case CellType::float64: return call(double{});
  }
}

template <typename Visit>
void with_integers(const CellArray& cells, const Visit& visit) {
  with_cells(cells, [&](const auto* from) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(*from)>>) visit(from);
  });
}

}  // namespace

NumberSummary check_numbers(const double* numbers, std::size_t n_rows) {
  NumberSummary summary;
  bool infinite = false;
  for (std::size_t row = 0; row < n_rows; ++row) {
    summary.n_missing += std::isnan(numbers[row]);
    infinite |= std::isinf(numbers[row]);
  }
  if (infinite) {
    const double* found =
        std::find_if(numbers, numbers + n_rows, [](double number) { return std::isinf(number); });
    summary.infinite_row = found - numbers;
  }
  return summary;
}

NumberSummary to_doubles(const CellArray& cells, double* to) {
  with_cells(cells, [&](const auto* from) {
    if (cells.stride == 1) {
      for (std::size_t row = 0; row < cells.n_rows; ++row) to[row] = static_cast<double>(from[row]);
    } else {
      for (std::size_t row = 0; row < cells.n_rows; ++row, from += cells.stride)
        to[row] = static_cast<double>(*from);
    }
  });
  if (cells.missing != nullptr) {
    for (std::size_t row = 0; row < cells.n_rows; ++row)
      if (cells.missing[row]) to[row] = std::numeric_limits<double>::quiet_NaN();
  }
  if (cells.missing == nullptr && cells.type < CellType::float32) return {};
  return check_numbers(to, cells.n_rows);
}

FlagSummary flag_codes(const CellArray& cells, const std::int32_t (&code)[2], std::int32_t* to) {
  const auto* from = static_cast<const std::uint8_t*>(cells.data);
  std::int64_t n_true = 0, n_missing = 0;
  for (std::size_t row = 0; row < cells.n_rows; ++row, from += cells.stride) {
    const bool missing = cells.missing != nullptr && cells.missing[row];
    const bool flag = *from != 0;
    to[row] = missing ? -1 : code[flag];
    n_missing += missing;
    n_true += !missing && flag;
  }
  const auto n_rows = static_cast<std::int64_t>(cells.n_rows);
  return {n_missing, n_true < n_rows - n_missing, n_true > 0};
}

void mark_codes(const CellArray& codes, std::span<std::uint8_t> occurs) {
  with_integers(codes, [&](const auto* from) {
    for (std::size_t row = 0; row < codes.n_rows; ++row, from += codes.stride) {
      const auto code = static_cast<std::size_t>(*from);  // below zero is beyond the end
      if (code < occurs.size()) occurs[code] = 1;
    }
  });
}

std::int64_t map_codes(const CellArray& codes, std::span<const std::int32_t> images,
                       std::int32_t* to) {
  std::int64_t n_missing = 0;
  with_integers(codes, [&](const auto* from) {
    for (std::size_t row = 0; row < codes.n_rows; ++row, from += codes.stride) {
      const auto code = static_cast<std::size_t>(*from);
      to[row] = code < images.size() ? images[code] : -1;
      n_missing += to[row] == -1;
    }
  });
  return n_missing;
}

bool to_integers(const CellArray& cells, std::vector<std::int64_t>& to) {
  bool fits = cells.type < CellType::float32;
  to.resize(cells.n_rows);
  with_integers(cells, [&](const auto* from) {
    for (std::size_t row = 0; row < cells.n_rows; ++row, from += cells.stride) {
      const bool missing = cells.missing != nullptr && cells.missing[row];
      fits = fits && (missing || std::in_range<std::int64_t>(*from));
      to[row] = missing ? 0 : static_cast<std::int64_t>(*from);
    }
  });
  return fits;
}

IntegerCategories integer_categories(std::span<const std::int64_t> integers,
                                     const std::uint8_t* missing) {
  IntegerCategories found;
  const std::size_t n_rows = integers.size();
  found.codes.assign(n_rows, -1);
  const auto is_missing = [&](std::size_t row) { return missing != nullptr && missing[row]; };
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (is_missing(row)) {
      ++found.n_missing;
      continue;
    }
    low = std::min(low, integers[row]);
    high = std::max(high, integers[row]);
  }
  if (low > high) return found;
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const auto place = [&](std::size_t row) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(integers[row]) -
                                    static_cast<std::uint64_t>(low));
  };
  if (width < 4 * n_rows + 1024) {  // few enough to have a counter each
    std::vector<std::int32_t> codes(static_cast<std::size_t>(width) + 1, -1);
    for (std::size_t row = 0; row < n_rows; ++row)
      if (!is_missing(row)) codes[place(row)] = 0;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (codes[i] < 0) continue;
      codes[i] = static_cast<std::int32_t>(found.values.size());
      found.values.push_back(low + static_cast<std::int64_t>(i));
    }
    for (std::size_t row = 0; row < n_rows; ++row)
      if (!is_missing(row)) found.codes[row] = codes[place(row)];
    return found;
  }
  found.values.reserve(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row)
    if (!is_missing(row)) found.values.push_back(integers[row]);
  std::sort(found.values.begin(), found.values.end());
  found.values.erase(std::unique(found.values.begin(), found.values.end()), found.values.end());
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (is_missing(row)) continue;
    const auto at = std::lower_bound(found.values.begin(), found.values.end(), integers[row]);
    found.codes[row] = static_cast<std::int32_t>(at - found.values.begin());
  }
  return found;
}

DistinctCells distinct_cells(const char* bytes, std::size_t n_rows, std::size_t width) {
  DistinctCells found;
  found.places.resize(n_rows);
  TextIndex index;
  for (std::size_t row = 0; row < n_rows; ++row) {
    found.places[row] = index.place({bytes + row * width, width});
    if (index.texts().size() > found.first_rows.size())
      found.first_rows.push_back(static_cast<std::int64_t>(row));
  }
  return found;
}

}  // namespace mixedwood

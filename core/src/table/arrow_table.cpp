#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "mixedwood/arrow.hpp"
#include "text_index.hpp"

namespace mixedwood {
namespace {

constexpr std::int64_t kOrdered = 1;  // ARROW_FLAG_DICTIONARY_ORDERED

bool bit(const void* bits, std::int64_t place) {
  return (static_cast<const std::uint8_t*>(bits)[place >> 3] >> (place & 7)) & 1;
}

// The rows of one batch that a column has: the array of the column, and which rows of it.
struct Piece {
  const ArrowArray* array;
  std::int64_t first;  // in the buffers
  std::int64_t n_rows;

  template <typename T>
  const T* buffer(std::size_t number) const {
    return static_cast<const T*>(array->buffers[number]);
  }
  bool may_miss() const { return array->null_count != 0 && array->buffers[0] != nullptr; }
  bool missing(std::int64_t row) const { return !bit(array->buffers[0], first + row); }
};

enum class TextLayout { none, small, large, view };

TextLayout text_layout(const char* format) {
  if (std::strcmp(format, "u") == 0) return TextLayout::small;
  if (std::strcmp(format, "U") == 0) return TextLayout::large;
  if (std::strcmp(format, "vu") == 0) return TextLayout::view;
  return TextLayout::none;
}

template <typename Offset>
struct OffsetTexts {
  const Offset* offsets;
  const char* bytes;
  std::string_view operator()(std::int64_t place) const {
    const auto size = static_cast<std::size_t>(offsets[place + 1] - offsets[place]);
    // Without any text there may be no buffer.
    return size == 0 ? std::string_view("", 0) : std::string_view(bytes + offsets[place], size);
  }
};

// Short texts are inside of the view; longer ones in one of the further buffers.
struct ViewTexts {
  const char* views;
  const void* const* buffers;
  std::string_view operator()(std::int64_t place) const {
    const char* view = views + 16 * place;
    std::int32_t header[4];
    std::memcpy(header, view, sizeof(header));
    const auto size = static_cast<std::size_t>(header[0]);
    if (size <= 12) return {view + 4, size};
    return {static_cast<const char*>(buffers[2 + header[2]]) + header[3], size};
  }
};

template <typename Visit>
void with_texts(const ArrowArray& array, TextLayout layout, const Visit& visit) {
  if (layout == TextLayout::view) {
    visit(ViewTexts{static_cast<const char*>(array.buffers[1]), array.buffers});
  } else if (layout == TextLayout::small) {
    visit(OffsetTexts<std::int32_t>{static_cast<const std::int32_t*>(array.buffers[1]),
                                    static_cast<const char*>(array.buffers[2])});
  } else {
    visit(OffsetTexts<std::int64_t>{static_cast<const std::int64_t*>(array.buffers[1]),
                                    static_cast<const char*>(array.buffers[2])});
  }
}

// Calls `visit` with a value of the type that a format of one letter stands for.
template <typename Visit>
bool with_integer(const char* format, const Visit& visit) {
  if (format[0] == '\0' || format[1] != '\0') return false;
  switch (format[0]) {
    case 'c': visit(std::int8_t{}); return true;
    case 'C': visit(std::uint8_t{}); return true;
    case 's': visit(std::int16_t{}); return true;
    case 'S': visit(std::uint16_t{}); return true;
    case 'i': visit(std::int32_t{}); return true;
    case 'I': visit(std::uint32_t{}); return true;
    case 'l': visit(std::int64_t{}); return true;
    case 'L': visit(std::uint64_t{}); return true;
    default: return false;
  }
}

template <typename Visit>
bool with_number(const char* format, const Visit& visit) {
  if (std::strcmp(format, "f") == 0) return visit(float{}), true;
  if (std::strcmp(format, "g") == 0) return visit(double{}), true;
  return with_integer(format, visit);
}

void read_texts(const std::vector<Piece>& pieces, TextLayout layout, ArrowColumn& column,
                TextIndex& index) {
  std::int32_t* code = column.codes.data();
  for (const Piece& piece : pieces) {
    if (piece.n_rows == 0) continue;
    const bool may_miss = piece.may_miss();
    with_texts(*piece.array, layout, [&](const auto& text) {
      for (std::int64_t row = 0; row < piece.n_rows; ++row)
        *code++ = may_miss && piece.missing(row) ? -1 : index.place(text(piece.first + row));
    });
  }
}

// Only entries that occur are labels. Each batch may have a dictionary of its own.
void read_dictionary(const std::vector<Piece>& pieces, const char* format, TextLayout layout,
                     ArrowColumn& column, TextIndex& index) {
  constexpr std::int32_t kNotMet = -2;
  std::int32_t* code = column.codes.data();
  std::vector<std::int32_t> places;
  for (const Piece& piece : pieces) {
    if (piece.n_rows == 0) continue;
    const ArrowArray& entries = *piece.array->dictionary;
    const Piece known{&entries, entries.offset, entries.length};
    const bool may_miss = piece.may_miss(), entries_may_miss = known.may_miss();
    places.assign(static_cast<std::size_t>(entries.length), kNotMet);
    with_texts(entries, layout, [&](const auto& text) {
      with_integer(format, [&](auto type) {
        const auto* entry = piece.buffer<decltype(type)>(1) + piece.first;
        for (std::int64_t row = 0; row < piece.n_rows; ++row) {
          if (may_miss && piece.missing(row)) {
            *code++ = -1;
            continue;
          }
          const auto at = static_cast<std::int64_t>(entry[row]);
          std::int32_t& place = places.at(static_cast<std::size_t>(at));
          if (place == kNotMet)
            place = entries_may_miss && known.missing(at) ? -1 : index.place(text(known.first + at));
          *code++ = place;
        }
      });
    });
  }
}

// UTF-8 sorts by code point if it is compared byte by byte.
void sort_labels(const TextIndex& index, ArrowColumn& column) {
  const std::vector<std::string_view>& texts = index.texts();
  std::vector<std::int32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return texts[static_cast<std::size_t>(a)] < texts[static_cast<std::size_t>(b)];
  });
  std::vector<std::int32_t> rank(texts.size());
  column.labels.reserve(texts.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    column.labels.push_back(texts[static_cast<std::size_t>(order[i])]);
  }
  for (std::int32_t& code : column.codes) {
    if (code < 0)
      ++column.n_missing;
    else
      code = rank[static_cast<std::size_t>(code)];
  }
}

void read_flags(const std::vector<Piece>& pieces, ArrowColumn& column) {
  std::int32_t* code = column.codes.data();
  for (const Piece& piece : pieces) {
    const bool may_miss = piece.may_miss();
    for (std::int64_t row = 0; row < piece.n_rows; ++row) {
      const bool missing = may_miss && piece.missing(row);
      *code++ = missing ? -1 : bit(piece.array->buffers[1], piece.first + row);
      column.n_missing += missing;
    }
  }
}

void check_numbers(const double* numbers, std::int64_t n_rows, ArrowColumn& column) {
  for (std::int64_t row = 0; row < n_rows; ++row) {
    column.n_missing += std::isnan(numbers[row]);
    if (column.infinite_row < 0 && std::isinf(numbers[row])) column.infinite_row = row;
  }
}

void read_numbers(const std::vector<Piece>& pieces, const char* format, std::int64_t n_rows,
                  ArrowColumn& column) {
  if (format[0] == 'g' && pieces.size() == 1 && !pieces[0].may_miss()) {
    const double* numbers = pieces[0].buffer<double>(1) + pieces[0].first;
    if (reinterpret_cast<std::uintptr_t>(numbers) % alignof(double) == 0) {
      column.borrowed = numbers;
      return check_numbers(numbers, n_rows, column);
    }
  }
  column.numbers.resize(static_cast<std::size_t>(n_rows));
  double* to = column.numbers.data();
  for (const Piece& piece : pieces) {
    if (piece.n_rows == 0) continue;
    with_number(format, [&](auto type) {
      using Number = decltype(type);
      const char* from = piece.buffer<char>(1) +
                         static_cast<std::size_t>(piece.first) * sizeof(Number);
      const bool may_miss = piece.may_miss();
      for (std::int64_t row = 0; row < piece.n_rows; ++row, from += sizeof(Number)) {
        Number number;
        std::memcpy(&number, from, sizeof(Number));
        *to++ = may_miss && piece.missing(row) ? std::numeric_limits<double>::quiet_NaN()
                                               : static_cast<double>(number);
      }
    });
  }
  check_numbers(column.numbers.data(), n_rows, column);
}

// False if some number is too large.
bool read_integers(const std::vector<Piece>& pieces, const char* format, std::int64_t n_rows,
                   ArrowColumn& column) {
  bool fits = true;
  column.integers.reserve(static_cast<std::size_t>(n_rows));
  column.missing.reserve(static_cast<std::size_t>(n_rows));
  for (const Piece& piece : pieces) {
    if (piece.n_rows == 0) continue;
    with_integer(format, [&](auto type) {
      const auto* from = piece.buffer<decltype(type)>(1) + piece.first;
      const bool may_miss = piece.may_miss();
      for (std::int64_t row = 0; row < piece.n_rows; ++row) {
        const bool missing = may_miss && piece.missing(row);
        fits = fits && (missing || std::in_range<std::int64_t>(from[row]));
        column.integers.push_back(missing ? 0 : static_cast<std::int64_t>(from[row]));
        column.missing.push_back(missing);
        column.n_missing += missing;
      }
    });
  }
  return fits;
}

}  // namespace

ArrowTable::ArrowTable(ArrowArrayStream& stream) {
  ArrowArrayStream owned = stream;
  stream.release = nullptr;
  const auto fail = [&] {
    const char* why = owned.get_last_error(&owned);
    const std::string message = why == nullptr ? "the Arrow stream failed" : why;
    owned.release(&owned);
    throw std::runtime_error(message);
  };
  if (owned.get_schema(&owned, &schema_) != 0) fail();
  for (;;) {
    ArrowArray batch{};
    if (owned.get_next(&owned, &batch) != 0) {
      for (ArrowArray& made : batches_) made.release(&made);
      schema_.release(&schema_);
      fail();
    }
    if (batch.release == nullptr) break;
    n_rows_ += batch.length;
    batches_.push_back(batch);
  }
  owned.release(&owned);
}

ArrowTable::~ArrowTable() {
  for (ArrowArray& batch : batches_) batch.release(&batch);
  schema_.release(&schema_);
}

bool ArrowTable::is_struct() const { return std::strcmp(schema_.format, "+s") == 0; }

std::size_t ArrowTable::n_columns() const {
  return is_struct() ? static_cast<std::size_t>(schema_.n_children) : 1;
}

ArrowColumn ArrowTable::column(std::size_t place, ArrowWish wish) const {
  ArrowColumn column;
  if (wish == ArrowWish::nothing) return column;
  const ArrowSchema& schema = is_struct() ? *schema_.children[place] : schema_;
  std::vector<Piece> pieces;
  for (const ArrowArray& batch : batches_) {
    if (!is_struct()) {
      pieces.push_back({&batch, batch.offset, batch.length});
      continue;
    }
    // A row that is missing as a whole has no cells; frames have none.
    if (batch.n_buffers > 0 && batch.buffers[0] != nullptr && batch.null_count != 0) return column;
    const ArrowArray& child = *batch.children[place];
    pieces.push_back({&child, child.offset + batch.offset, batch.length});
  }
  const char* format = schema.format;
  const auto size = static_cast<std::size_t>(n_rows_);
  TextIndex index;
  if (schema.dictionary != nullptr) {
    const TextLayout layout = text_layout(schema.dictionary->format);
    if (layout == TextLayout::none) return column;
    column.codes.resize(size);
    read_dictionary(pieces, format, layout, column, index);
    column.ordered = (schema.flags & kOrdered) != 0;
    column.kind = ArrowKind::text;
  } else if (const TextLayout layout = text_layout(format); layout != TextLayout::none) {
    column.codes.resize(size);
    read_texts(pieces, layout, column, index);
    column.kind = ArrowKind::text;
  } else if (std::strcmp(format, "b") == 0) {
    column.codes.resize(size);
    read_flags(pieces, column);
    column.kind = ArrowKind::flag;
  } else if (wish == ArrowWish::categories) {
    if (with_integer(format, [](auto) {}) && read_integers(pieces, format, n_rows_, column))
      column.kind = ArrowKind::integer;
  } else if (with_number(format, [](auto) {})) {
    read_numbers(pieces, format, n_rows_, column);
    column.kind = ArrowKind::number;
  }
  if (column.kind == ArrowKind::text) sort_labels(index, column);
  return column;
}

}  // namespace mixedwood

// Columns of an Arrow stream as codes and numbers, whatever library made it: the C interface needs
// neither Arrow's headers nor pyarrow.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

// The structures of Arrow's C data and stream interfaces; their layout is fixed.
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace mixedwood {

enum class ArrowKind { unsupported, number, integer, flag, text };

// One column of all batches.
struct ArrowColumn {
  ArrowKind kind = ArrowKind::unsupported;
  bool ordered = false;  // a dictionary whose order counts

  // Numbers; a missing one is NaN. `borrowed` points into the stream's memory instead.
  std::vector<double> numbers;
  const double* borrowed = nullptr;
  std::int64_t infinite_row = -1;

  // Text: for each row a place in `labels`, in code point order. Flags: 0 and 1. Missing: -1.
  std::vector<std::int32_t> codes;
  std::vector<std::string_view> labels;  // those that occur

  // Integers that are to be read as categories.
  std::vector<std::int64_t> integers;
  std::vector<std::uint8_t> missing;

  std::int64_t n_missing = 0;
};

// What is to be made of a column.
enum class ArrowWish : std::uint8_t { by_type, categories, nothing };

// The batches of a stream; labels and borrowed numbers live as long as it does.
class ArrowTable {
 public:
  // Takes the stream over. Throws std::runtime_error if the stream reports an error.
  explicit ArrowTable(ArrowArrayStream& stream);
  ~ArrowTable();
  ArrowTable(const ArrowTable&) = delete;
  ArrowTable& operator=(const ArrowTable&) = delete;

  std::int64_t n_rows() const { return n_rows_; }
  std::size_t n_columns() const;
  ArrowColumn column(std::size_t place, ArrowWish wish) const;

 private:
  bool is_struct() const;

  ArrowSchema schema_{};
  std::vector<ArrowArray> batches_;
  std::int64_t n_rows_ = 0;
};

}  // namespace mixedwood

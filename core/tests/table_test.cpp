// Columns of arrays and of Arrow streams, against values written by hand.
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "mixedwood/arrow.hpp"
#include "mixedwood/columns.hpp"
#include "mixedwood/random.hpp"
#include "table/text_index.hpp"

using namespace mixedwood;

namespace {

template <typename Number>
CellArray cells_of(const std::vector<Number>& numbers, CellType type, std::ptrdiff_t stride = 1) {
  return {numbers.data(), stride, type, numbers.size() / static_cast<std::size_t>(stride)};
}

// A stream of one column, whose parts live outside of it.
struct Stream {
  std::string format;
  std::string dictionary_format;
  std::int64_t flags = 0;
  std::vector<ArrowArray> batches;
  std::size_t given = 0;
  int released = 0;
  bool fails = false;
  ArrowSchema dictionary{};

  ArrowArrayStream interface() {
    return {
        [](ArrowArrayStream* stream, ArrowSchema* schema) {
          auto& self = *static_cast<Stream*>(stream->private_data);
          *schema = {};
          schema->format = self.format.c_str();
          schema->flags = self.flags;
          if (!self.dictionary_format.empty()) {
            self.dictionary.format = self.dictionary_format.c_str();
            schema->dictionary = &self.dictionary;
          }
          schema->private_data = &self;
          schema->release = [](ArrowSchema* made) {
            ++static_cast<Stream*>(made->private_data)->released;
          };
          return 0;
        },
        [](ArrowArrayStream* stream, ArrowArray* batch) {
          auto& self = *static_cast<Stream*>(stream->private_data);
          *batch = {};
          if (self.given == self.batches.size()) return self.fails ? 5 : 0;
          *batch = self.batches[self.given++];
          batch->private_data = &self;
          batch->release = [](ArrowArray* made) {
            ++static_cast<Stream*>(made->private_data)->released;
          };
          return 0;
        },
        [](ArrowArrayStream*) { return "broken"; },
        [](ArrowArrayStream* stream) { ++static_cast<Stream*>(stream->private_data)->released; },
        this};
  }
};

ArrowArray batch_of(std::int64_t length, std::int64_t offset, std::vector<const void*>& buffers) {
  ArrowArray batch{};
  batch.length = length;
  batch.offset = offset;
  batch.null_count = buffers[0] == nullptr ? 0 : -1;
  batch.n_buffers = static_cast<std::int64_t>(buffers.size());
  batch.buffers = buffers.data();
  return batch;
}

}  // namespace

TEST(numbers_become_doubles_with_missing_and_infinite_ones_reported) {
  const std::vector<std::int16_t> small = {-3, 9, 7, 9};
  double to[4];
  CHECK(to_doubles(cells_of(small, CellType::int16), to).n_missing == 0);
  CHECK(to[0] == -3.0 && to[3] == 9.0);
  CellArray every_other = cells_of(small, CellType::int16, 2);
  const std::uint8_t missing[] = {0, 1};
  every_other.missing = missing;
  CHECK(to_doubles(every_other, to).n_missing == 1);
  CHECK(to[0] == -3.0 && std::isnan(to[1]));
  const std::vector<float> infinite = {1.0f, std::numeric_limits<float>::quiet_NaN(),
                                       -std::numeric_limits<float>::infinity()};
  const NumberSummary found = to_doubles(cells_of(infinite, CellType::float32), to);
  CHECK(found.n_missing == 1 && found.infinite_row == 2);
}

TEST(flags_become_codes) {
  const std::vector<std::uint8_t> flags = {1, 0, 1};
  const std::uint8_t missing[] = {0, 1, 0};
  CellArray cells = cells_of(flags, CellType::uint8);
  std::int32_t to[3];
  FlagSummary found = flag_codes(cells, {4, 5}, to);
  CHECK(to[0] == 5 && to[1] == 4 && found.has_false && found.has_true && found.n_missing == 0);
  cells.missing = missing;
  found = flag_codes(cells, {4, 5}, to);
  CHECK(to[1] == -1 && !found.has_false && found.has_true && found.n_missing == 1);
}

TEST(codes_are_marked_and_replaced) {
  const std::vector<std::int8_t> codes = {2, -1, 0, 2, 100};
  std::vector<std::uint8_t> occurs(3);
  mark_codes(cells_of(codes, CellType::int8), occurs);
  CHECK((occurs == std::vector<std::uint8_t>{1, 0, 1}));
  const std::vector<std::int32_t> images = {1, -1, 0};
  std::int32_t to[5];
  CHECK(map_codes(cells_of(codes, CellType::int8), images, to) == 2);
  CHECK(to[0] == 0 && to[1] == -1 && to[2] == 1 && to[3] == 0 && to[4] == -1);
}

TEST(integers_are_categories_in_ascending_order_near_and_far_apart) {
  constexpr std::int64_t low = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t high = std::numeric_limits<std::int64_t>::max();
  const std::uint8_t missing[] = {0, 0, 1, 0};
  for (const auto& integers : {std::vector<std::int64_t>{7, -2, 0, 7}, {high, low, 0, high}}) {
    const IntegerCategories found = integer_categories(integers, missing);
    CHECK((found.values == std::vector<std::int64_t>{integers[1], integers[0]}));
    CHECK((found.codes == std::vector<std::int32_t>{1, 0, -1, 1}));
    CHECK(found.n_missing == 1);
  }
  std::vector<std::int64_t> to;
  CHECK(!to_integers(cells_of(std::vector<std::uint64_t>{1, ~0ull}, CellType::uint64), to));
  CHECK(to_integers(cells_of(std::vector<std::uint8_t>{1, 255}, CellType::uint8), to));
  CHECK(to[1] == 255);
}

TEST(texts_of_every_length_are_told_apart) {
  Random random(3);
  std::vector<std::string> texts;
  for (std::size_t size = 0; size < 40; ++size) {
    for (int i = 0; i < 60; ++i) {
      std::string text(size, 'a');
      for (char& c : text) c = static_cast<char>(random.below(3));
      texts.push_back(text);
    }
  }
  TextIndex index;
  std::map<std::string, std::int32_t> places;
  for (const std::string& text : texts) {
    const auto next = static_cast<std::int32_t>(places.size());
    CHECK(index.place(text) == places.emplace(text, next).first->second);
  }
  CHECK(index.texts().size() == places.size());
}

TEST(cells_of_fixed_width_are_found_by_their_bytes) {
  const DistinctCells found = distinct_cells("abcdabefcd", 5, 2);
  CHECK((found.places == std::vector<std::int32_t>{0, 1, 0, 2, 1}));
  CHECK((found.first_rows == std::vector<std::int64_t>{0, 1, 3}));
}

TEST(text_of_a_stream_is_sorted_and_everything_is_released) {
  const std::int32_t offsets[] = {0, 1, 3, 3, 4};
  const std::uint8_t valid[] = {0b1011};
  std::vector<const void*> buffers = {valid, offsets, "zabq"};
  Stream stream{.format = "u", .dictionary_format = ""};
  // "z", "ab", missing, "q"; then the same without the first.
  stream.batches = {batch_of(4, 0, buffers), batch_of(3, 1, buffers)};
  {
    ArrowArrayStream interface = stream.interface();
    const ArrowTable table(interface);
    CHECK(interface.release == nullptr);
    const ArrowColumn column = table.column(0, ArrowWish::by_type);
    CHECK(column.kind == ArrowKind::text && column.n_missing == 2 && table.n_rows() == 7);
    CHECK((column.labels == std::vector<std::string_view>{"ab", "q", "z"}));
    CHECK((column.codes == std::vector<std::int32_t>{2, 0, -1, 1, 0, -1, 1}));
  }
  CHECK(stream.released == 4);  // the stream, the schema and two batches
}

TEST(only_entries_of_a_dictionary_that_occur_are_labels) {
  const std::int64_t offsets[] = {0, 1, 2, 3};
  std::vector<const void*> entries = {nullptr, offsets, "cba"};
  ArrowArray dictionary = batch_of(3, 0, entries);
  const std::uint8_t codes[] = {2, 0, 2};
  std::vector<const void*> buffers = {nullptr, codes};
  Stream stream{.format = "C", .dictionary_format = "U", .flags = 1};
  stream.batches = {batch_of(3, 0, buffers)};
  stream.batches[0].dictionary = &dictionary;
  ArrowArrayStream interface = stream.interface();
  const ArrowTable table(interface);
  const ArrowColumn column = table.column(0, ArrowWish::by_type);
  CHECK(column.ordered);
  CHECK((column.labels == std::vector<std::string_view>{"a", "c"}));
  CHECK((column.codes == std::vector<std::int32_t>{0, 1, 0}));
}

TEST(doubles_of_one_batch_are_borrowed_and_others_are_not) {
  const double numbers[] = {1.0, 2.0, 3.0};
  const std::uint8_t valid[] = {0b101};
  std::vector<const void*> whole = {nullptr, numbers}, partial = {valid, numbers};
  Stream one{.format = "g", .dictionary_format = ""}, two = one;
  one.batches = {batch_of(2, 1, whole)};
  two.batches = {batch_of(3, 0, whole), batch_of(3, 0, partial)};
  ArrowArrayStream first = one.interface(), second = two.interface();
  const ArrowTable borrowed(first), copied(second);
  CHECK(borrowed.column(0, ArrowWish::by_type).borrowed == numbers + 1);
  const ArrowColumn column = copied.column(0, ArrowWish::by_type);
  CHECK(column.borrowed == nullptr && column.numbers.size() == 6 && column.n_missing == 1);
  CHECK(column.numbers[2] == 3.0 && std::isnan(column.numbers[4]));
  CHECK(copied.column(0, ArrowWish::nothing).kind == ArrowKind::unsupported);
  CHECK(copied.column(0, ArrowWish::categories).kind == ArrowKind::unsupported);
}

TEST(a_stream_that_fails_is_reported_and_released) {
  const std::int8_t numbers[] = {1};
  std::vector<const void*> buffers = {nullptr, numbers};
  Stream stream{.format = "c", .dictionary_format = ""};
  stream.batches = {batch_of(1, 0, buffers)};
  stream.fails = true;
  ArrowArrayStream interface = stream.interface();
  CHECK(check::message_of([&] { const ArrowTable table(interface); }) == "broken");
  CHECK(stream.released == 3);
}

// Raw columns in batches by type: arrays, dictionaries, Python objects and Arrow streams.
//
// A column that is not plain is left out, as None: Python reads it, and reports what is wrong.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

#include "arrays.hpp"
#include "mixedwood/arrow.hpp"
#include "mixedwood/columns.hpp"

namespace mixedwood {
namespace {

constexpr std::int32_t kMissing = -1, kUnknown = -2;

// What is wanted of a column: an integer, or a tuple of codes by label, whether some label is text,
// and whether some is not.
enum class Wish { by_type, categories, numbers, nothing, known };

struct Wanted {
  Wish wish = Wish::by_type;
  PyObject* codes = nullptr;  // borrowed
  bool has_text = false;
  bool has_other = false;

  explicit Wanted(nb::handle given) {
    if (PyTuple_Check(given.ptr())) {
      wish = Wish::known;
      const auto tuple = nb::borrow<nb::tuple>(given);
      codes = nb::cast<nb::dict>(tuple[0]).ptr();
      has_text = nb::cast<bool>(tuple[1]);
      has_other = nb::cast<bool>(tuple[2]);
    } else {
      wish = static_cast<Wish>(nb::cast<int>(given));
    }
  }
  bool learns() const { return wish == Wish::by_type || wish == Wish::categories; }
};

std::optional<std::int64_t> find(PyObject* dict, PyObject* key) {
  PyObject* found = PyDict_GetItemWithError(dict, key);
  if (found == nullptr) {
    if (PyErr_Occurred()) throw nb::python_error();
    return {};
  }
  return PyLong_AsLongLong(found);
}

// Codes of labels that are known, and the labels that are not.
class KnownLabels {
 public:
  explicit KnownLabels(const Wanted& wanted) : wanted_(wanted) {}

  // Nothing if the label may be known by its spelling.
  std::optional<std::int32_t> code(PyObject* label) {
    if (const auto found = find(wanted_.codes, label)) return static_cast<std::int32_t>(*found);
    const bool is_text = PyUnicode_CheckExact(label), is_integer = PyLong_CheckExact(label);
    const bool has_none = !wanted_.has_text && !wanted_.has_other;
    if (!(is_text && (wanted_.has_text || has_none)) &&
        !(is_integer && (wanted_.has_other || has_none)))
      return {};
    if (!unknown_.is_valid()) unknown_ = nb::steal(PySet_New(nullptr));
    if (PySet_Add(unknown_.ptr(), label) != 0) throw nb::python_error();
    return kUnknown;
  }
  nb::object unknown() const { return unknown_.is_valid() ? unknown_ : nb::none(); }

 private:
  const Wanted& wanted_;
  nb::object unknown_;
};

nb::object learned(nb::object array, nb::object categories, std::int64_t n_missing) {
  return nb::make_tuple(array, categories, n_missing);
}

template <typename Number>
class OwnedArray {
 public:
  explicit OwnedArray(std::size_t size) : size_(size), numbers_(new Number[size]) {}
  Number* data() { return numbers_.get(); }
  nb::object hand_over() {
    nb::capsule owner(numbers_.get(),
                      [](void* p) noexcept { delete[] static_cast<Number*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, Number, nb::ndim<1>>(numbers_.release(), {size_}, owner));
  }

 private:
  std::size_t size_;
  std::unique_ptr<Number[]> numbers_;
};

nb::object flag_categories(bool has_false, bool has_true) {
  if (has_false && has_true) return nb::make_tuple(false, true);
  if (has_false || has_true) return nb::make_tuple(has_true);
  return nb::make_tuple();
}

// The codes of false and true, if both of them are known where they occur.
bool flag_codes_of(const Wanted& wanted, const FlagSummary& found, std::int32_t (&code)[2]) {
  for (const int flag : {0, 1}) {
    if (!(flag ? found.has_true : found.has_false)) continue;
    const auto known = find(wanted.codes, flag ? Py_True : Py_False);
    if (!known) return false;
    code[flag] = static_cast<std::int32_t>(*known);
  }
  return true;
}

nb::object integer_column(std::span<const std::int64_t> integers, const std::uint8_t* missing,
                          const Wanted& wanted) {
  IntegerCategories found = integer_categories(integers, missing);
  if (wanted.learns()) {
    nb::object categories = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(found.values.size())));
    for (std::size_t i = 0; i < found.values.size(); ++i)
      PyTuple_SetItem(categories.ptr(), static_cast<Py_ssize_t>(i),
                      PyLong_FromLongLong(found.values[i]));
    return learned(nb::cast(hand_over(std::move(found.codes))), categories, found.n_missing);
  }
  KnownLabels labels(wanted);
  std::vector<std::int32_t> images;
  images.reserve(found.values.size());
  for (const std::int64_t value : found.values) {
    const nb::object label = nb::steal(PyLong_FromLongLong(value));
    const auto code = labels.code(label.ptr());
    if (!code) return nb::none();
    images.push_back(*code);
  }
  for (std::int32_t& code : found.codes)
    if (code >= 0) code = images[static_cast<std::size_t>(code)];
  return nb::make_tuple(hand_over(std::move(found.codes)), labels.unknown());
}

// Arrays

using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

std::optional<CellType> cell_type(const nb::dlpack::dtype& type) {
  using nb::dlpack::dtype_code;
  if (type.lanes != 1) return {};
  const bool is_int = type.code == static_cast<std::uint8_t>(dtype_code::Int);
  const bool is_uint = type.code == static_cast<std::uint8_t>(dtype_code::UInt);
  if (type.code == static_cast<std::uint8_t>(dtype_code::Float)) {
    if (type.bits == 32) return CellType::float32;
    if (type.bits == 64) return CellType::float64;
  } else if (is_int || is_uint) {
    switch (type.bits) {
      case 8: return is_int ? CellType::int8 : CellType::uint8;
      case 16: return is_int ? CellType::int16 : CellType::uint16;
      case 32: return is_int ? CellType::int32 : CellType::uint32;
      case 64: return is_int ? CellType::int64 : CellType::uint64;
      default: break;
    }
  }
  return {};
}

nb::object flag_column(const CellArray& cells, const Wanted& wanted) {
  OwnedArray<std::int32_t> to(cells.n_rows);
  std::int32_t code[2] = {0, 1};
  FlagSummary found = flag_codes(cells, code, to.data());
  const nb::object categories = flag_categories(found.has_false, found.has_true);
  if (wanted.learns()) {
    code[1] = found.has_false ? 1 : 0;
    if (!found.has_false) flag_codes(cells, code, to.data());
    return learned(to.hand_over(), categories, found.n_missing);
  }
  if (!flag_codes_of(wanted, found, code)) return nb::none();
  if (code[0] != 0 || code[1] != 1) flag_codes(cells, code, to.data());
  return nb::make_tuple(to.hand_over(), nb::none());
}

nb::object number_column(const CellArray& cells, nb::handle array, const Wanted& wanted) {
  NumberSummary found;
  nb::object numbers;
  if (cells.type == CellType::float64 && cells.stride == 1 && cells.missing == nullptr) {
    found = check_numbers(static_cast<const double*>(cells.data), cells.n_rows);
    numbers = nb::borrow(array);
  } else {
    OwnedArray<double> to(cells.n_rows);
    found = to_doubles(cells, to.data());
    if (found.infinite_row < 0) numbers = to.hand_over();
  }
  if (found.infinite_row >= 0) return nb::none();
  if (wanted.learns()) return learned(numbers, nb::none(), found.n_missing);
  return nb::make_tuple(numbers, nb::none());
}

nb::object array_column(nb::handle given, nb::handle mask, const Wanted& wanted) {
  const auto array = nb::cast<AnyVector>(given);
  const bool is_flag =
      array.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bool);
  const auto type = is_flag ? std::optional(CellType::uint8) : cell_type(array.dtype());
  if (!type) return nb::none();
  const std::size_t n_rows = array.shape(0);
  CellArray cells{array.data(), n_rows < 2 ? 1 : array.stride(0), *type, n_rows};
  nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu> missing;
  if (!mask.is_none()) {
    missing = nb::cast<decltype(missing)>(mask);
    if (missing.shape(0) != n_rows) throw nb::value_error("the mask has another length");
    cells.missing = reinterpret_cast<const std::uint8_t*>(missing.data());
  }
  if (is_flag) return wanted.wish == Wish::numbers ? nb::none() : flag_column(cells, wanted);
  if (wanted.wish == Wish::by_type || wanted.wish == Wish::numbers)
    return number_column(cells, given, wanted);
  std::vector<std::int64_t> integers;
  if (!to_integers(cells, integers)) return nb::none();
  return integer_column(integers, cells.missing, wanted);
}

nb::list read_arrays(const nb::list& arrays, const nb::list& missing, const nb::list& wanted) {
  nb::list read;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Wanted wish(wanted[i]);
    read.append(array_column(arrays[i], missing[i], wish));
  }
  return read;
}

// Dictionaries: codes of labels

nb::object dictionary_column(nb::handle given, const nb::list& labels, const Wanted& wanted) {
  const auto array = nb::cast<AnyVector>(given);
  const auto type = cell_type(array.dtype());
  if (!type || *type >= CellType::float32 || wanted.wish == Wish::numbers) return nb::none();
  const std::size_t n_rows = array.shape(0), n_labels = labels.size();
  const CellArray codes{array.data(), n_rows < 2 ? 1 : array.stride(0), *type, n_rows};
  std::vector<std::uint8_t> occurs(n_labels);
  mark_codes(codes, occurs);
  std::vector<std::int32_t> images(n_labels, kMissing);
  nb::list present;
  bool all_text = true, all_integers = true;
  for (std::size_t i = 0; i < n_labels; ++i) {
    if (!occurs[i]) continue;
    PyObject* label = PyList_GetItem(labels.ptr(), static_cast<Py_ssize_t>(i));
    all_text = all_text && PyUnicode_CheckExact(label);
    all_integers = all_integers && PyLong_CheckExact(label);
    if (!all_text && !all_integers) return nb::none();
    present.append(nb::handle(label));
  }
  OwnedArray<std::int32_t> to(n_rows);
  if (!wanted.learns()) {
    KnownLabels known(wanted);
    for (std::size_t i = 0; i < n_labels; ++i) {
      if (!occurs[i]) continue;
      const auto code = known.code(PyList_GetItem(labels.ptr(), static_cast<Py_ssize_t>(i)));
      if (!code) return nb::none();
      images[i] = *code;
    }
    map_codes(codes, images, to.data());
    return nb::make_tuple(to.hand_over(), known.unknown());
  }
  if (PyList_Sort(present.ptr()) != 0) throw nb::python_error();
  nb::dict ranks;
  for (std::size_t i = 0; i < present.size(); ++i) ranks[present[i]] = i;
  for (std::size_t i = 0; i < n_labels; ++i)
    if (occurs[i])
      images[i] = static_cast<std::int32_t>(
          *find(ranks.ptr(), PyList_GetItem(labels.ptr(), static_cast<Py_ssize_t>(i))));
  const std::int64_t n_missing = map_codes(codes, images, to.data());
  return learned(to.hand_over(), nb::steal(PyList_AsTuple(present.ptr())), n_missing);
}

nb::list read_dictionaries(const nb::list& codes, const nb::list& labels, const nb::list& wanted) {
  nb::list read;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Wanted wish(wanted[i]);
    read.append(dictionary_column(codes[i], nb::cast<nb::list>(labels[i]), wish));
  }
  return read;
}

using ByteMatrix = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::tuple read_distinct(const ByteMatrix& cells) {
  DistinctCells found = distinct_cells(reinterpret_cast<const char*>(cells.data()), cells.shape(0),
                                       cells.shape(1));
  return nb::make_tuple(hand_over(std::move(found.places)), hand_over(std::move(found.first_rows)));
}

// Python objects

enum class ObjectType { missing, text, flag, integer, real, other };

// `absent` are the objects that stand for missing values besides None and NaN.
class Objects {
 public:
  Objects(nb::handle column, const nb::tuple& absent) : absent_(absent) {
    is_list_ = PyList_Check(column.ptr());
    column_ = column.ptr();
    n_rows_ = static_cast<std::size_t>(is_list_ ? PyList_Size(column_) : PyTuple_Size(column_));
  }
  std::size_t n_rows() const { return n_rows_; }
  PyObject* at(std::size_t row) const {
    const auto place = static_cast<Py_ssize_t>(row);
    return is_list_ ? PyList_GetItem(column_, place) : PyTuple_GetItem(column_, place);
  }
  ObjectType type(PyObject* cell) const {
    if (PyUnicode_CheckExact(cell)) return ObjectType::text;
    if (cell == Py_None) return ObjectType::missing;
    if (PyFloat_CheckExact(cell))
      return std::isnan(PyFloat_AsDouble(cell)) ? ObjectType::missing : ObjectType::real;
    if (PyBool_Check(cell)) return ObjectType::flag;
    if (PyLong_CheckExact(cell)) return ObjectType::integer;
    for (std::size_t i = 0; i < absent_.size(); ++i)
      if (absent_[i].ptr() == cell) return ObjectType::missing;
    return ObjectType::other;
  }

 private:
  PyObject* column_;
  bool is_list_;
  std::size_t n_rows_;
  const nb::tuple& absent_;
};

// The objects of a column are often the same few: their places by address.
class AddressCache {
 public:
  struct Entry {
    PyObject* object = nullptr;
    std::int32_t place = 0;
  };
  Entry& entry(PyObject* object) {
    return entries_[(reinterpret_cast<std::uintptr_t>(object) >> 4) % 128];
  }

 private:
  Entry entries_[128];
};

// A finite number; nothing for all else, such as an integer too large for a double.
std::optional<double> number_of(PyObject* cell) {
  const double number =
      PyFloat_CheckExact(cell) ? PyFloat_AsDouble(cell) : PyLong_AsDouble(cell);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return {};
  }
  return std::isinf(number) ? std::nullopt : std::optional(number);
}

nb::object object_numbers(const Objects& cells, const Wanted& wanted) {
  OwnedArray<double> to(cells.n_rows());
  std::int64_t n_missing = 0;
  for (std::size_t row = 0; row < cells.n_rows(); ++row) {
    PyObject* cell = cells.at(row);
    const ObjectType type = cells.type(cell);
    std::optional<double> number;
    if (type == ObjectType::missing)
      number = std::numeric_limits<double>::quiet_NaN();
    else if (type == ObjectType::integer || type == ObjectType::real)
      number = number_of(cell);
    if (!number) return nb::none();
    n_missing += std::isnan(*number);
    to.data()[row] = *number;
  }
  if (wanted.learns()) return learned(to.hand_over(), nb::none(), n_missing);
  return nb::make_tuple(to.hand_over(), nb::none());
}

nb::object object_flags(const Objects& cells) {
  OwnedArray<std::int32_t> to(cells.n_rows());
  FlagSummary found;
  for (std::size_t row = 0; row < cells.n_rows(); ++row) {
    PyObject* cell = cells.at(row);
    const ObjectType type = cells.type(cell);
    if (type != ObjectType::missing && type != ObjectType::flag) return nb::none();
    const bool missing = type == ObjectType::missing;
    to.data()[row] = missing ? kMissing : cell == Py_True;
    found.n_missing += missing;
    found.has_true = found.has_true || (!missing && cell == Py_True);
    found.has_false = found.has_false || (!missing && cell == Py_False);
  }
  if (!found.has_false)
    for (std::size_t row = 0; row < cells.n_rows(); ++row)
      to.data()[row] = to.data()[row] == 1 ? 0 : kMissing;
  return learned(to.hand_over(), flag_categories(found.has_false, found.has_true),
                 found.n_missing);
}

nb::object object_texts(const Objects& cells) {
  OwnedArray<std::int32_t> to(cells.n_rows());
  std::int64_t n_missing = 0;
  nb::dict places;
  AddressCache cache;
  for (std::size_t row = 0; row < cells.n_rows(); ++row) {
    PyObject* cell = cells.at(row);
    AddressCache::Entry& entry = cache.entry(cell);
    if (entry.object != cell) {
      const ObjectType type = cells.type(cell);
      if (type == ObjectType::missing) {
        entry = {cell, kMissing};
      } else if (type == ObjectType::text) {
        const std::size_t n_labels = places.size();
        const auto known = find(places.ptr(), cell);
        if (!known) places[nb::handle(cell)] = n_labels;
        entry = {cell, static_cast<std::int32_t>(known.value_or(static_cast<int64_t>(n_labels)))};
      } else {
        return nb::none();
      }
    }
    n_missing += entry.place == kMissing;
    to.data()[row] = entry.place;
  }
  nb::object labels = nb::steal(PyDict_Keys(places.ptr()));
  if (PyList_Sort(labels.ptr()) != 0) throw nb::python_error();
  const auto n_labels = static_cast<std::size_t>(PyList_Size(labels.ptr()));
  std::vector<std::int32_t> ranks(n_labels);
  for (std::size_t i = 0; i < n_labels; ++i)
    ranks[static_cast<std::size_t>(
        *find(places.ptr(), PyList_GetItem(labels.ptr(), static_cast<Py_ssize_t>(i))))] =
        static_cast<std::int32_t>(i);
  for (std::size_t row = 0; row < cells.n_rows(); ++row) {
    std::int32_t& code = to.data()[row];
    if (code >= 0) code = ranks[static_cast<std::size_t>(code)];
  }
  return learned(to.hand_over(), nb::steal(PyList_AsTuple(labels.ptr())), n_missing);
}

nb::object object_codes(const Objects& cells, const Wanted& wanted) {
  OwnedArray<std::int32_t> to(cells.n_rows());
  KnownLabels known(wanted);
  AddressCache cache;
  for (std::size_t row = 0; row < cells.n_rows(); ++row) {
    PyObject* cell = cells.at(row);
    AddressCache::Entry& entry = cache.entry(cell);
    if (entry.object != cell) {
      const ObjectType type = cells.type(cell);
      if (type == ObjectType::other) return nb::none();
      const auto code =
          type == ObjectType::missing ? std::optional(kMissing) : known.code(cell);
      if (!code) return nb::none();
      entry = {cell, *code};
    }
    to.data()[row] = entry.place;
  }
  return nb::make_tuple(to.hand_over(), known.unknown());
}

nb::object object_column(const Objects& cells, const Wanted& wanted) {
  if (wanted.wish == Wish::known) return object_codes(cells, wanted);
  if (wanted.wish == Wish::numbers) return object_numbers(cells, wanted);
  // The first value says what the column can be.
  ObjectType type = ObjectType::missing;
  for (std::size_t row = 0; row < cells.n_rows() && type == ObjectType::missing; ++row)
    type = cells.type(cells.at(row));
  switch (type) {
    case ObjectType::missing:
    case ObjectType::text: return object_texts(cells);
    case ObjectType::flag: return object_flags(cells);
    case ObjectType::integer:
    case ObjectType::real:
      return wanted.wish == Wish::by_type ? object_numbers(cells, wanted) : nb::none();
    default: return nb::none();
  }
}

nb::list read_objects(const nb::list& columns, const nb::list& wanted, const nb::tuple& absent) {
  nb::list read;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Wanted wish(wanted[i]);
    const nb::object column = columns[i];
    if (!PyList_Check(column.ptr()) && !PyTuple_Check(column.ptr()))
      throw nb::type_error("a column is a list or a tuple");
    read.append(object_column(Objects(column, absent), wish));
  }
  return read;
}

// Arrow

nb::object text_of(std::string_view label) {
  return nb::steal(
      PyUnicode_FromStringAndSize(label.data(), static_cast<Py_ssize_t>(label.size())));
}

nb::object arrow_texts(ArrowColumn& column, const Wanted& wanted) {
  if (wanted.wish == Wish::numbers || (column.ordered && wanted.wish == Wish::by_type))
    return nb::none();
  if (wanted.learns()) {
    nb::object categories = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(column.labels.size())));
    for (std::size_t i = 0; i < column.labels.size(); ++i) {
      nb::object label = text_of(column.labels[i]);
      if (!label.is_valid()) throw nb::python_error();
      PyTuple_SetItem(categories.ptr(), static_cast<Py_ssize_t>(i), label.release().ptr());
    }
    return learned(nb::cast(hand_over(std::move(column.codes))), categories, column.n_missing);
  }
  KnownLabels known(wanted);
  std::vector<std::int32_t> images;
  images.reserve(column.labels.size());
  for (const std::string_view text : column.labels) {
    const nb::object label = text_of(text);
    if (!label.is_valid()) throw nb::python_error();
    const auto code = known.code(label.ptr());
    if (!code) return nb::none();
    images.push_back(*code);
  }
  for (std::int32_t& code : column.codes)
    if (code >= 0) code = images[static_cast<std::size_t>(code)];
  return nb::make_tuple(hand_over(std::move(column.codes)), known.unknown());
}

nb::object arrow_flags(ArrowColumn& column, const Wanted& wanted) {
  if (wanted.wish == Wish::numbers) return nb::none();
  FlagSummary found{column.n_missing, false, false};
  for (const std::int32_t code : column.codes) {
    found.has_false = found.has_false || code == 0;
    found.has_true = found.has_true || code == 1;
  }
  std::int32_t code[2] = {0, found.has_false ? 1 : 0};
  if (!wanted.learns() && !flag_codes_of(wanted, found, code)) return nb::none();
  for (std::int32_t& flag : column.codes)
    if (flag >= 0) flag = code[flag];
  const nb::object codes = nb::cast(hand_over(std::move(column.codes)));
  if (!wanted.learns()) return nb::make_tuple(codes, nb::none());
  return learned(codes, flag_categories(found.has_false, found.has_true), column.n_missing);
}

nb::object arrow_numbers(ArrowColumn& column, const std::shared_ptr<ArrowTable>& table,
                         const Wanted& wanted) {
  if (column.infinite_row >= 0) return nb::none();
  nb::object numbers;
  if (column.borrowed != nullptr) {
    auto kept = std::make_unique<std::shared_ptr<ArrowTable>>(table);
    nb::capsule owner(kept.get(), [](void* p) noexcept {
      delete static_cast<std::shared_ptr<ArrowTable>*>(p);
    });
    kept.release();
    numbers = nb::cast(nb::ndarray<nb::numpy, const double, nb::ndim<1>>(
        column.borrowed, {static_cast<std::size_t>(table->n_rows())}, owner));
  } else {
    numbers = nb::cast(hand_over(std::move(column.numbers)));
  }
  if (wanted.learns()) return learned(numbers, nb::none(), column.n_missing);
  return nb::make_tuple(numbers, nb::none());
}

nb::list read_arrow(nb::handle capsule, const nb::list& wanted) {
  void* stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
  if (stream == nullptr) throw nb::python_error();
  const auto table = std::make_shared<ArrowTable>(*static_cast<ArrowArrayStream*>(stream));
  if (table->n_columns() != wanted.size())
    throw nb::value_error("the stream has another number of columns");
  nb::list read;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Wanted wish(wanted[i]);
    ArrowColumn column = table->column(
        i, wish.wish == Wish::nothing                                      ? ArrowWish::nothing
           : wish.wish == Wish::categories || wish.wish == Wish::known ? ArrowWish::categories
                                                                       : ArrowWish::by_type);
    switch (column.kind) {
      case ArrowKind::text: read.append(arrow_texts(column, wish)); break;
      case ArrowKind::flag: read.append(arrow_flags(column, wish)); break;
      case ArrowKind::number: read.append(arrow_numbers(column, table, wish)); break;
      case ArrowKind::integer:
        read.append(integer_column(column.integers, column.missing.data(), wish));
        break;
      case ArrowKind::unsupported: read.append(nb::none()); break;
    }
  }
  return read;
}

}  // namespace

void bind_columns(nb::module_& m) {
  m.def("read_arrays", &read_arrays, nb::arg("arrays"), nb::arg("missing"), nb::arg("wanted"),
        nb::sig("def read_arrays(arrays: list[NDArray[Any]], missing: list[NDArray[numpy.bool_] | "
                "None], wanted: list[Any]) -> list[Any]"),
        "Read arrays of booleans or numbers; None for those that are left out.");
  m.def("read_dictionaries", &read_dictionaries, nb::arg("codes"), nb::arg("labels"),
        nb::arg("wanted"),
        nb::sig("def read_dictionaries(codes: list[NDArray[Any]], labels: list[list[Any]], wanted: "
                "list[Any]) -> list[Any]"),
        "Read codes of labels; None for columns that are left out.");
  m.def("read_distinct", &read_distinct, nb::arg("cells").noconvert(),
        nb::sig("def read_distinct(cells: NDArray[numpy.uint8]) -> tuple[NDArray[numpy.int32], "
                "NDArray[numpy.int64]]"),
        "Number cells of equal width by their bytes; also give the row where each is first.");
  m.def("read_objects", &read_objects, nb::arg("columns"), nb::arg("wanted"), nb::arg("absent"),
        nb::sig("def read_objects(columns: list[Any], wanted: list[Any], absent: tuple[Any, ...]) "
                "-> list[Any]"),
        "Read lists of Python objects; None for columns that are left out.");
  m.def("read_arrow", &read_arrow, nb::arg("stream"), nb::arg("wanted"),
        nb::sig("def read_arrow(stream: Any, wanted: list[Any]) -> list[Any]"),
        "Read the columns of an Arrow stream; None for those that are left out.");
}

}  // namespace mixedwood

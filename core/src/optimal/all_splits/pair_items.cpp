#include "pair_items.hpp"

#include <algorithm>

namespace mixedwood::optimal::all_splits {

template <typename T>
void PairItems<T>::start(const Rows& rows, const PresentClasses& classes) {
  rows_ = &rows;
  n_classes_ = classes.n;
  columns_.resize(features_.list.size());
  const auto n = to_size(rows.n);
  for (std::size_t o = 0; o < columns_.size(); ++o) {
    Column& column = columns_[o];
    column.made = false;
    column.useful = is_useful(features_, rows, o);
    if (!column.useful) continue;
    const auto sorted = rows.by(o);
    const auto& rank = features_.list[o].rank;
    column.weight.resize(n);
    column.key.resize(n);
    column.last.resize(n);
    if (n_classes_ > 2) column.cls.resize(n);
    column.n_values = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = to_size(sorted[i]);
      const auto w = static_cast<T>(features_.weights[row]);
      const std::int32_t c = classes.number[to_size(features_.classes[row])];
      const bool last = i + 1 == n || rank[row] != rank[to_size(sorted[i + 1])];
      column.last[i] = last;
      column.n_values += last;
      if (n_classes_ > 2) {
        column.weight[i] = w;
        column.cls[i] = static_cast<std::uint16_t>(c);
      } else {
        column.weight[i] = static_cast<T>(c == 0 ? -w : w);
      }
    }
  }
}

template <typename T>
void PairItems<T>::prepare(const std::vector<std::int32_t>& place, std::int32_t n_places) {
  place_ = &place;
  n_places_ = n_places;
  bucket_ = nullptr;
  for (Column& column : columns_) column.made = false;
}

// Would there be far fewer cells (a value, a place, a class) than rows?
template <typename T>
bool PairItems<T>::merges(const Column& column, std::int32_t n_places) const {
  const std::size_t cells = column.n_values * to_size(n_places) *
                            to_size(std::max(n_classes_ - 1, 1));
  return cells * 2 <= to_size(rows_->n);
}

template <typename T>
const Items<T>& PairItems<T>::of(std::size_t feature) {
  Column& column = columns_[feature];
  if (column.made) return column.items;
  const std::int32_t* sorted = rows_->by(feature).data();
  const auto n = to_size(rows_->n);
  if (merges(column, n_places_)) {
    merge(column, sorted, false);
  } else if (bucket_ != nullptr && merges(column, n_buckets_)) {
    merge(column, sorted, true);
    return column.items;  // for these cuts only
  } else {
    const std::int32_t* place = place_->data();
    for (std::size_t i = 0; i < n; ++i) column.key[i] = static_cast<T>(place[sorted[i]]);
    column.items = {column.key.data(), column.weight.data(), column.last.data(),
                    column.cls.data(), n, false};
  }
  column.made = true;
  return column.items;
}

template <typename T>
void PairItems<T>::merge(Column& column, const std::int32_t* sorted, bool coarse) {
  column.merged_key.clear();
  column.merged_weight.clear();
  column.merged_last.clear();
  column.merged_cls.clear();
  const auto n = to_size(rows_->n);
  const std::size_t k = n_classes_ > 2 ? to_size(n_classes_) : 1;
  const std::int32_t* place = place_->data();
  const std::int32_t* bucket = coarse ? bucket_->data() : nullptr;
  cells_.assign(to_size(coarse ? n_buckets_ : n_places_) * k, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t fine = place[sorted[i]];
    const auto at = to_size(bucket != nullptr ? bucket[fine] : fine) * k;
    const std::size_t cell = k == 1 ? at : at + column.cls[i];
    cells_[cell] = static_cast<T>(cells_[cell] + column.weight[i]);
    if (!column.last[i]) continue;
    const std::size_t before = column.merged_key.size();
    for (std::size_t j = 0; j < cells_.size(); ++j) {
      if (cells_[j] == 0) continue;
      column.merged_key.push_back(static_cast<T>(j / k));
      column.merged_weight.push_back(cells_[j]);
      column.merged_last.push_back(0);
      if (k > 1) column.merged_cls.push_back(static_cast<std::uint16_t>(j % k));
      cells_[j] = 0;
    }
    if (column.merged_key.size() > before) column.merged_last.back() = 1;
  }
  column.items = {column.merged_key.data(),  column.merged_weight.data(),
                  column.merged_last.data(), column.merged_cls.data(),
                  column.merged_key.size(),  coarse};
}

template class PairItems<std::int16_t>;
template class PairItems<std::int32_t>;
template class PairItems<std::int64_t>;

}  // namespace mixedwood::optimal::all_splits

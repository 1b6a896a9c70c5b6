// Cost-complexity pruning (Breiman et al. 1984, ch. 3), bottom-up.
//
// At price alpha per leaf, the best pruning below node t costs
//   C_t(alpha) = min(own_t + alpha, sum over the children c of C_c(alpha)),
// and t becomes a leaf at the alpha where the first term is no longer the larger one. The sum is
// piecewise linear, A + alpha * n for the cost A and the n leaves of the best pruning there, and
// steeper than the first term, so there is one such alpha; it is where CART cuts t as its weakest
// link. C_t is kept as its last piece and a heap of the alphas where pieces meet, each the cut of
// one node, with what that cut did to A and n. To find t's alpha, cuts that would come later are
// undone from the largest down: t takes them all away. Each node enters a heap once and leaves it
// once.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "mixedwood/pruning.hpp"

namespace mixedwood {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEqual = 1e-12;  // alphas closer than this, relative to the root's cost, are equal
constexpr std::int32_t kNone = -1;

std::size_t at(std::int32_t node) { return static_cast<std::size_t>(node); }

// Pairing heaps over the nodes of a tree, largest key on top. Of equal keys the lower node comes
// first, so that the cut of a node is undone before the cuts below it.
class CutHeaps {
 public:
  explicit CutHeaps(std::size_t n) : key_(n, 0.0), first_(n, kNone), next_(n, kNone) {}

  double key(std::int32_t node) const { return key_[at(node)]; }

  std::int32_t push(std::int32_t heap, std::int32_t node, double key) {
    key_[at(node)] = key;
    return meld(heap, node);
  }

  std::int32_t meld(std::int32_t a, std::int32_t b) {
    if (a == kNone) return b;
    if (b == kNone) return a;
    if (key(b) > key(a) || (key(b) == key(a) && b < a)) std::swap(a, b);
    next_[at(b)] = first_[at(a)];
    first_[at(a)] = b;
    return a;
  }

  std::int32_t without_top(std::int32_t top) {
    std::int32_t pairs = kNone;
    for (std::int32_t a = first_[at(top)]; a != kNone;) {
      const std::int32_t b = next_[at(a)];
      const std::int32_t rest = b == kNone ? kNone : next_[at(b)];
      const std::int32_t pair = meld(a, b);
      next_[at(pair)] = pairs;
      pairs = pair;
      a = rest;
    }
    std::int32_t heap = kNone;
    while (pairs != kNone) {
      const std::int32_t rest = next_[at(pairs)];
      heap = meld(heap, pairs);
      pairs = rest;
    }
    return heap;
  }

 private:
  std::vector<double> key_;
  std::vector<std::int32_t> first_, next_;  // a node's first child in its heap; its next sibling
};

// Cost and leaves of a pruned (sub)tree, or how a cut changes them.
struct Size {
  double cost = 0.0;
  std::int64_t leaves = 0;

  Size& operator+=(const Size& other) {
    cost += other.cost;
    leaves += other.leaves;
    return *this;
  }
  Size& operator-=(const Size& other) {
    cost -= other.cost;
    leaves -= other.leaves;
    return *this;
  }
};

class Pruner {
 public:
  Pruner(std::span<const std::int32_t> parent, std::span<const double> costs)
      : parent_(parent), costs_(costs), heaps_(parent.size()), below_(parent.size()),
        change_(parent.size()), heap_(parent.size(), kNone) {
    path_.cut_at.assign(parent.size(), kInfinity);
  }

  CostComplexity run(Stop& stop) {
    for (std::size_t i = parent_.size(); i-- > 0;) {
      if (below_[i].leaves > 0) find_cut(static_cast<std::int32_t>(i), stop);
      if (stop.requested()) throw Stopped{};
      if (i == 0) break;
      below_[at(parent_[i])] += {costs_[i], 1};  // in the last piece the child is a leaf
      heap_[at(parent_[i])] = heaps_.meld(heap_[at(parent_[i])], heap_[i]);
    }
    read_off(stop);
    forget_cuts_that_never_show();
    return std::move(path_);
  }

 private:
  void find_cut(std::int32_t node, Stop& stop) {
    const double own = costs_[at(node)];
    Size size = below_[at(node)];
    std::int32_t& heap = heap_[at(node)];
    double alpha = crossing(own, size, heap);
    while (heap != kNone && alpha < heaps_.key(heap)) {
      const double latest = heaps_.key(heap);  // there the node is no dearer than what it replaces
      size -= change_[at(heap)];
      heap = heaps_.without_top(heap);
      alpha = std::min(latest, crossing(own, size, heap));
      if (stop.requested()) throw Stopped{};
    }
    if (!(alpha > 0.0)) {  // nothing is left to undo: from 0 on there is only the leaf
      path_.cut_at[at(node)] = 0.0;
      return;
    }
    change_[at(node)] = {own - size.cost, 1 - size.leaves};
    heap = heaps_.push(heap, node, alpha);
  }

  // Where own + alpha meets size.cost + alpha * size.leaves.
  double crossing(double own, const Size& size, std::int32_t heap) const {
    if (size.leaves > 1) return (own - size.cost) / static_cast<double>(size.leaves - 1);
    // A split that leads to one leaf is worth nothing: it goes no later than what was below it.
    if (own > size.cost) return heap == kNone ? 0.0 : heaps_.key(heap);
    return -kInfinity;
  }

  struct Cut {
    std::int32_t node;
    Size after;
  };

  // The cuts that are left are those of the whole tree; undone one by one they give the path.
  void read_off(Stop& stop) {
    std::vector<Cut> cuts;
    Size size{costs_[0], 1};
    for (std::int32_t heap = heap_[0]; heap != kNone; heap = heaps_.without_top(heap)) {
      cuts.push_back({heap, size});
      size -= change_[at(heap)];
      if (stop.requested()) throw Stopped{};
    }
    path_.alphas = {0.0};
    path_.n_leaves = {size.leaves};
    path_.costs = {size.cost};
    const double slack = kEqual * costs_[0];
    for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
      // Rounding must not tear equal alphas apart.
      if (heaps_.key(cut->node) > path_.alphas.back() + slack) {
        path_.alphas.push_back(heaps_.key(cut->node));
        path_.n_leaves.push_back(0);
        path_.costs.push_back(0.0);
      }
      path_.n_leaves.back() = cut->after.leaves;
      path_.costs.back() = cut->after.cost;
      path_.cut_at[at(cut->node)] = path_.alphas.back();
    }
  }

  void forget_cuts_that_never_show() {
    std::vector<double> gone_at(parent_.size(), kInfinity);  // or a leaf itself
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      const double above = i == 0 ? kInfinity : gone_at[at(parent_[i])];
      if (path_.cut_at[i] >= above) path_.cut_at[i] = kInfinity;
      gone_at[i] = std::min(above, path_.cut_at[i]);
    }
  }

  std::span<const std::int32_t> parent_;
  std::span<const double> costs_;
  CutHeaps heaps_;
  std::vector<Size> below_;         // last piece of the sum over the children
  std::vector<Size> change_;        // what a node's cut does
  std::vector<std::int32_t> heap_;  // cuts at or below a node
  CostComplexity path_;
};

}  // namespace

CostComplexity cost_complexity(std::span<const std::int32_t> parent, std::span<const double> costs,
                               Stop& stop) {
  check_parents(parent);
  if (costs.size() != parent.size())
    throw std::invalid_argument("one cost is needed for each node");
  for (const double cost : costs)
    if (!(cost >= 0.0 && std::isfinite(cost)))
      throw std::invalid_argument("the cost of a node must be finite and not negative");
  return Pruner(parent, costs).run(stop);
}

}  // namespace mixedwood

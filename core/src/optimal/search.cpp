#include "search.hpp"

#include <algorithm>
#include <utility>


namespace mixedwood {

using namespace optimal;

OptimalSolver::Search::Search(const BinaryProblem& problem, const OptimalSettings& settings)
    : table_(problem, pair_kernels(settings.switches), settings.switches.merge_rows,
             settings.min_leaf > 1),
      settings_(settings),
      prices_{settings.error_cost, settings.leaf_cost},
      small_(table_, settings_),
      cache_(table_.n_words()) {
  all_.words.assign(table_.everything().begin(), table_.everything().end());
  all_.measure(table_);
  has_hopeless_ = settings.switches.equivalent_points &&
                  table_.weight_in(all_.words, table_.hopeless()) > 0;
}

OptimalSolver::Search::Level& OptimalSolver::Search::level(std::int32_t depth) {
  return levels_[depth];
}

void OptimalSolver::Search::look_at_memory() {
  if (memory_ >= 0 && static_cast<std::int64_t>(cache_.bytes() + small_.bytes()) > memory_)
    cache_.shrink();
}

// Without asking the cache: one leaf, and rows that no tree gets right.
Cost OptimalSolver::Search::cheap_bound(const Rows& rows) const {
  Cost bound = prices_.leaf;
  if (has_hopeless_) bound += prices_.error * table_.weight_in(rows.words, table_.hopeless());
  return bound;
}

Cost OptimalSolver::Search::lower_bound(const Rows& rows, const Budget& wanted) const {
  const Budget budget = wanted.fit();
  if (budget.depth == 0) return leaf(rows);
  Cost bound = cheap_bound(rows);
  if (settings_.switches.cache) {
    bound = std::max(bound, cache_.lower_bound(rows.key(), budget));
    if (budget.depth <= 2)
      if (const auto* e = cache_.fewest(rows.key()))
        return best_small(*e, budget.tests, prices_).cost;
  }
  if (settings_.switches.similarity)
    if (const auto a = archives_.find(budget.depth); a != archives_.end())
      bound = std::max(bound, a->second.lower_bound(rows, budget));
  return bound;
}

FewestErrors OptimalSolver::Search::fewest(const Rows& rows) {
  if (settings_.switches.cache)
    if (const auto* known = cache_.fewest(rows.key())) return *known;
  ++n_explored_;
  const FewestErrors result = small_.solve(rows.words, *stop_);
  if (settings_.switches.cache) cache_.store(rows.key(), result);
  return result;
}

std::optional<Solution> OptimalSolver::Search::best(const Rows& rows, Budget wanted, Cost upper) {
  if (stop_->requested(static_cast<std::int64_t>(table_.n_words()))) throw Stopped{};
  look_at_memory();
  const Cost as_leaf = leaf(rows);
  const auto if_good = [&](const Solution& s) {
    return s.cost <= upper ? std::optional(s) : std::nullopt;
  };
  const Solution only_leaf{as_leaf};
  const Budget asked = wanted.fit();
  // A test saves at most all errors and costs a leaf.
  if (asked.depth == 0 || prices_.error * rows.errors <= prices_.leaf ||
      rows.n_rows < 2 * settings_.min_leaf)
    return if_good(only_leaf);

  const Cost bound = lower_bound(rows, asked);
  if (bound > upper) return {};
  if (bound >= as_leaf) return if_good(only_leaf);
  if (settings_.switches.cache)
    if (const auto known = cache_.optimum(rows.key(), asked)) return if_good(*known);

  // Trees of more tests cost more than what is wanted, or than the leaf, by their leaves alone.
  Budget budget = asked;
  if (prices_.leaf > 0) {
    const Cost most = std::min(upper, as_leaf) - (cheap_bound(rows) - prices_.leaf);
    budget.tests = std::min(budget.tests, most / prices_.leaf - 1);
    if (budget.tests < 1) return if_good(only_leaf);
    budget = budget.fit();
  }

  if (budget.depth <= 2) {
    const Solution s = best_small(fewest(rows), budget.tests, prices_);
    return if_good(s);
  }
  const auto found = budget.depth == 3 ? best_of_three(rows, budget, upper, nullptr)
                                       : best_of_more(rows, budget, upper);
  const Cost learnt = found ? found->cost : upper + 1;
  if (settings_.switches.cache && !(budget == asked)) {
    if (found)
      cache_.store(rows.key(), asked, *found);
    else
      cache_.raise(rows.key(), asked, learnt);
  }
  if (settings_.switches.similarity)
    archives_.try_emplace(asked.depth, table_, prices_.error, settings_.min_leaf > 1)
        .first->second.add(rows, asked, learnt);
  return found;
}

// Every column with trees of depth two on both sides, from counts of pairs.
std::optional<Solution> OptimalSolver::Search::best_of_three(const Rows& rows, Budget budget,
                                                             Cost upper,
                                                             std::vector<Cost>* outlook) {
  const bool use_cache = settings_.switches.cache && &rows != root_;
  const bool alike = settings_.switches.similarity;
  const Cost leaf_cost = prices_.leaf, price = prices_.error;
  const std::size_t m = table_.n_columns();
  Level& here = level(2);  // of the children
  ++n_explored_;

  const FewestErrors own = small_.open(rows.words, *stop_);
  if (settings_.switches.cache) cache_.store(rows.key(), own);
  Solution best = best_small(own, budget.tests, prices_);
  Cost refined = best.cost;
  const Cost full = best_small(own, 3, prices_).cost;

  std::vector<Cost> bound_with(m, leaf_cost), bound_without(m, leaf_cost);
  std::vector<std::size_t> order;
  for (std::size_t f = 0; f < m; ++f) {
    if (outlook) (*outlook)[f] = kNoBound;
    if (!small_.may_split(f)) continue;
    order.push_back(f);
    if (!alike) continue;
    // The set as a whole is one of which each child lacks something.
    bound_with[f] = std::max(leaf_cost, full - price * (rows.weight - small_.weight(f)));
    bound_without[f] = std::max(leaf_cost, full - price * small_.weight(f));
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t f) { return small_.errors_after(f); });

  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::size_t f = order[at];
    const Cost allowed = std::min(best.cost - 1, upper);
    Cost bound = bound_with[f] + bound_without[f];
    if (bound <= allowed) {
      divide_words(table_, rows.words, f, here.with.words, here.without.words);
      if (has_hopeless_) {
        const auto lost = [&](const std::vector<Word>& words) {
          return leaf_cost + price * table_.weight_in(words, table_.hopeless());
        };
        bound = std::max(bound_with[f], lost(here.with.words)) +
                std::max(bound_without[f], lost(here.without.words));
      }
    }
    if (bound > allowed) {
      refined = std::min(refined, bound);
      if (outlook) (*outlook)[f] = bound;
      continue;
    }
    FewestErrors with, without;
    bool need_with = true, need_without = true;
    if (use_cache) {
      here.with.hash = hash_of(here.with.words);
      here.without.hash = hash_of(here.without.words);
      if (const auto* e = cache_.fewest(here.with.key())) {
        with = *e;
        need_with = false;
      }
      if (const auto* e = cache_.fewest(here.without.key())) {
        without = *e;
        need_without = false;
      }
    }
    if (need_with || need_without) {
      n_explored_ += need_with + need_without;
      small_.children(f, here.with.words, here.without.words, need_with ? &with : nullptr,
                      need_without ? &without : nullptr, *stop_);
      if (use_cache) {
        if (need_with) cache_.store(here.with.key(), with);
        if (need_without) cache_.store(here.without.key(), without);
      }
    }
    const Solution s =
        best_pair(static_cast<std::int32_t>(f), with, without, budget.tests, prices_);
    refined = std::min(refined, s.cost);
    if (outlook) (*outlook)[f] = s.cost;
    if (s.cost <= allowed) {
      best = s;
      if (&rows == root_) {
        PlainTree tree;
        write(rows, budget, best, tree, 0);
        take(std::move(tree));
      }
    }
    if (!alike || settings_.min_leaf > 1 || !small_.knows_pairs()) continue;
    // What was learnt of these two holds, less what they have more, for the columns to come.
    const Cost t1 = best_small(with, 3, prices_).cost, t0 = best_small(without, 3, prices_).cost;
    const Cost w1 = small_.weight(f), total = rows.weight;
    for (std::size_t next = at + 1; next < order.size(); ++next) {
      const std::size_t g = order[next];
      const Cost both = small_.weight(f, g), g1 = small_.weight(g);
      bound_with[g] =
          std::max({bound_with[g], t1 - price * (w1 - both), t0 - price * (total - w1 - g1 + both)});
      bound_without[g] = std::max({bound_without[g], t1 - price * both, t0 - price * (g1 - both)});
    }
  }
  if (best.cost <= upper) {
    if (settings_.switches.cache) cache_.store(rows.key(), budget, best);
    return best;
  }
  if (settings_.switches.cache)
    cache_.raise(rows.key(), budget, std::max(upper + 1, refined));
  return {};
}

std::optional<Solution> OptimalSolver::Search::best_of_more(const Rows& rows, Budget budget,
                                                            Cost upper) {
  Level& here = level(budget.depth);
  const std::size_t m = table_.n_columns();
  ++n_explored_;

  // Trees of depth three first: a good tree to beat, and the order of the columns.
  here.outlook.resize(m);
  const Budget three = Budget{3, budget.tests}.fit();
  const Rows* root = std::exchange(root_, nullptr);
  Solution best{leaf(rows)};
  try {
    if (const auto s = best_of_three(rows, three, kNoBound, &here.outlook);
        s && s->cost < best.cost)
      best = *s;
  } catch (...) {
    root_ = root;
    throw;
  }
  root_ = root;
  const bool is_root = &rows == root_;
  Cost refined = best.cost;
  here.order.clear();
  for (std::size_t f = 0; f < m; ++f)
    if (here.outlook[f] < kNoBound) here.order.push_back(f);
  std::ranges::stable_sort(here.order, {}, [&](std::size_t f) { return here.outlook[f]; });
  const Cost goal = lower_bound(rows, budget);

  const std::int64_t room =
      budget.depth > 62 ? budget.tests - 1
                        : std::min(budget.tests - 1, (std::int64_t{1} << (budget.depth - 1)) - 1);
  for (const std::size_t f : here.order) {
    if (best.cost <= goal) break;
    divide(table_, rows, f, here.with, here.without);
    // Neither side has use for more tests than can divide its rows.
    const std::int64_t left = budget.tests - 1;
    const std::int64_t last = std::min(
        room, std::max(left - room, here.with.n_rows / settings_.min_leaf - 1));
    const std::int64_t first_tests = std::max(
        left - room, std::min(last, left - (here.without.n_rows / settings_.min_leaf - 1)));
    for (std::int64_t tests = first_tests; tests <= last; ++tests) {
      if (stop_->requested()) throw Stopped{};
      const Budget with{budget.depth - 1, tests}, without{budget.depth - 1, budget.tests - 1 - tests};
      const Cost allowed = std::min(best.cost - 1, upper);
      Cost bound_with = lower_bound(here.with, with),
           bound_without = lower_bound(here.without, without);
      if (bound_with + bound_without > allowed) {
        refined = std::min(refined, bound_with + bound_without);
        continue;
      }
      // The side that has more to lose is the likelier to end it.
      const bool with_first = here.with.errors >= here.without.errors;
      const Rows &first = with_first ? here.with : here.without,
                 &second = with_first ? here.without : here.with;
      const Budget &budget1 = with_first ? with : without, &budget2 = with_first ? without : with;
      Cost &bound1 = with_first ? bound_with : bound_without,
           &bound2 = with_first ? bound_without : bound_with;
      const auto one = this->best(first, budget1, allowed - bound2);
      bound1 = std::max(bound1, one ? one->cost : allowed - bound2 + 1);
      if (!one) {
        refined = std::min(refined, std::max(bound1, lower_bound(first, budget1)) + bound2);
        continue;
      }
      const auto two = this->best(second, budget2, allowed - one->cost);
      if (!two) {
        bound2 = std::max({bound2, allowed - one->cost + 1, lower_bound(second, budget2)});
        refined = std::min(refined, bound1 + bound2);
        continue;
      }
      best = {one->cost + two->cost,
              static_cast<std::int32_t>(f),
              tests,
              budget.tests - 1 - tests,
              with_first ? one->cost : two->cost,
              with_first ? two->cost : one->cost};
      if (is_root) {
        PlainTree tree;
        write(rows, budget, best, tree, 0);
        take(std::move(tree));
      }
    }
  }
  if (best.cost <= upper) {
    if (settings_.switches.cache) cache_.store(rows.key(), budget, best);
    return best;
  }
  if (settings_.switches.cache) cache_.raise(rows.key(), budget, std::max(upper + 1, refined));
  return {};
}

void OptimalSolver::Search::write(const Rows& rows, Budget budget, const Solution& solution,
                                  PlainTree& tree, std::size_t node) {
  if (solution.column == kLeafOnly) return;
  if (solution.column == kSmallTree) {
    const SmallTree small =
        small_.tree(rows.words, static_cast<int>(solution.tests_with), *stop_);
    if (small.root < 0) return;
    tree.split(node, small.root);
    const auto yes = static_cast<std::size_t>(tree.yes[node]),
               no = static_cast<std::size_t>(tree.no[node]);
    if (small.yes >= 0) tree.split(yes, small.yes);
    if (small.no >= 0) tree.split(no, small.no);
    return;
  }
  Rows with, without;
  divide(table_, rows, static_cast<std::size_t>(solution.column), with, without);
  tree.split(node, solution.column);
  const auto yes = static_cast<std::size_t>(tree.yes[node]),
             no = static_cast<std::size_t>(tree.no[node]);
  const auto below = [&](const Rows& part, std::int64_t tests, Cost cost, std::size_t at) {
    const Budget its = Budget{budget.depth - 1, tests}.fit();
    if (cost >= leaf(part)) return;  // the leaf is as good
    if (its.depth <= 2) {
      write(part, its, Solution{cost, kSmallTree, its.tests}, tree, at);
      return;
    }
    std::optional<Solution> s = cache_.of_cost(part.key(), its, cost);
    if (!s) s = best(part, its, cost);
    if (s) write(part, its, *s, tree, at);
  };
  below(with, solution.tests_with, solution.cost_with, yes);
  below(without, solution.tests_without, solution.cost_without, no);
}

}  // namespace mixedwood

// One `make_...` per partitioner; the registry and `auto` are their only readers.
#pragma once

#include <memory>

#include "mixedwood/registry.hpp"

namespace mixedwood {

std::unique_ptr<Partitioner> make_auto(const Options& options);
std::unique_ptr<Partitioner> make_exact(const Options& options);
std::unique_ptr<Partitioner> make_flip_flop(const Options& options);
std::unique_ptr<Partitioner> make_hypercube_cover(const Options& options);
std::unique_ptr<Partitioner> make_largest_alone(const Options& options);
std::unique_ptr<Partitioner> make_list_scheduling(const Options& options);
std::unique_ptr<Partitioner> make_max_cut(const Options& options);
std::unique_ptr<Partitioner> make_max_cut_sdp(const Options& options);
std::unique_ptr<Partitioner> make_multiway(const Options& options);
std::unique_ptr<Partitioner> make_natural_order(const Options& options);
std::unique_ptr<Partitioner> make_one_vs_rest(const Options& options);
std::unique_ptr<Partitioner> make_principal(const Options& options);
std::unique_ptr<Partitioner> make_principal_ext(const Options& options);
std::unique_ptr<Partitioner> make_random_order(const Options& options);
std::unique_ptr<Partitioner> make_random_subset(const Options& options);
std::unique_ptr<Partitioner> make_refined(const Options& options);
std::unique_ptr<Partitioner> make_sliq(const Options& options);
std::unique_ptr<Partitioner> make_sliq_ext(const Options& options);
std::unique_ptr<Partitioner> make_two_class_order(const Options& options);
std::unique_ptr<Partitioner> make_twoing(const Options& options);

}  // namespace mixedwood

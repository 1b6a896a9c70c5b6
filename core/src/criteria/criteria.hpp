// One `make_...` per criterion; the registry is their only reader.
#pragma once

#include <memory>
#include <vector>

#include "mixedwood/criterion.hpp"

namespace mixedwood {

std::unique_ptr<Criterion> make_chi2(std::vector<double> costs, int n_classes);
std::unique_ptr<Criterion> make_entropy(std::vector<double> costs, int n_classes);
std::unique_ptr<Criterion> make_gain_ratio(std::vector<double> costs, int n_classes);
std::unique_ptr<Criterion> make_gini(std::vector<double> costs, int n_classes);
std::unique_ptr<Criterion> make_squared_gini(std::vector<double> costs, int n_classes);
std::unique_ptr<Criterion> make_twoing(std::vector<double> costs, int n_classes);

}  // namespace mixedwood

// One `make_...` per acceptor; the registry is their only reader.
#pragma once

#include <memory>

#include "mixedwood/acceptor.hpp"

namespace mixedwood {

std::unique_ptr<Acceptor> make_chi2_acceptor(double largest_p);
std::unique_ptr<Acceptor> make_second_value_acceptor(double least_weight);

}  // namespace mixedwood

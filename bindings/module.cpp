// The Python module: a list of init calls, one per topic.
#include <nanobind/nanobind.h>

#include "mixedwood/instruction_set.hpp"
#include "mixedwood/stop.hpp"

namespace nb = nanobind;

namespace mixedwood {
void bind_columns(nb::module_& m);
void bind_counted(nb::module_& m);
void bind_parts(nb::module_& m);
void bind_splits(nb::module_& m);
void bind_significance(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_grow(nb::module_& m);
void bind_gradient(nb::module_& m);
void bind_pruning(nb::module_& m);
void bind_optimal(nb::module_& m);
void bind_discretize(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_regress(nb::module_& m);
}  // namespace mixedwood

NB_MODULE(_core, m) {
  m.doc() = "Native core of mixedwood. Use the public modules instead.";
  nb::exception<mixedwood::TimeLimitError>(m, "TimeLimitError", PyExc_TimeoutError);
  m.attr("sanitized") = nb::bool_(MIXEDWOOD_SANITIZED);
  m.def("instruction_set", &mixedwood::instruction_set,
        "The instruction set of the kernels: 'scalar', 'vector' or 'avx2'.");
  mixedwood::bind_columns(m);
  mixedwood::bind_counted(m);
  mixedwood::bind_parts(m);
  mixedwood::bind_splits(m);
  mixedwood::bind_significance(m);
  mixedwood::bind_tree(m);
  mixedwood::bind_grow(m);
  mixedwood::bind_gradient(m);
  mixedwood::bind_pruning(m);
  mixedwood::bind_optimal(m);
  mixedwood::bind_discretize(m);
  mixedwood::bind_linear(m);
  mixedwood::bind_regress(m);
}

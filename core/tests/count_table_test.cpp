#include "mixedwood/count_table.hpp"

#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"

using namespace mixedwood;

TEST(a_full_table_is_borrowed_not_copied) {
  const std::vector<double> counts = {1, 2, 3, 4};
  const auto present = keep_present(counts, 2, 2);
  CHECK(present.table.row(0).data() == counts.data());
  CHECK(present.table.total() == 10.0);
  CHECK(present.table.row_total(1) == 7.0);
  CHECK(present.table.class_totals()[0] == 4.0);
}

TEST(empty_rows_and_columns_are_dropped_and_remembered) {
  const std::vector<double> counts = {0, 0, 0, 5, 0, 1, 0, 0, 0};
  const auto present = keep_present(counts, 3, 3);
  CHECK(present.table.n_values() == 1);
  CHECK(present.table.n_classes() == 2);
  CHECK(present.values == std::vector<int>{1});
  CHECK((present.classes == std::vector<int>{0, 2}));
}

TEST(extreme_weights_are_rescaled_by_a_power_of_two) {
  const std::vector<double> counts = {3e300, 1e300, 1e300, 2e300};
  const auto present = keep_present(counts, 2, 2);
  CHECK(present.exponent != 0);
  CHECK(present.table.total() < 8.0);
  CHECK(present.table(0, 0) == 3.0 * present.table(0, 1));
}

TEST(a_row_that_no_score_can_feel_is_weightless) {
  const std::vector<double> counts = {1e308, 1e308, 1e-308, 0};
  const auto present = keep_present(counts, 2, 2);
  CHECK(present.values == std::vector<int>{0});
  CHECK(present.weightless == std::vector<int>{1});
}

TEST(bad_entries_are_named) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto message = [](double bad) {
    const std::vector<double> counts = {1, 2, 3, bad};
    return check::message_of([&] { keep_present(counts, 2, 2); });
  };
  CHECK(message(nan).find("counts[1, 1] is NaN") != std::string::npos);
  CHECK(message(-1.0).find("counts[1, 1] is negative") != std::string::npos);
  CHECK(message(inf).find("counts[1, 1] is infinite") != std::string::npos);
}

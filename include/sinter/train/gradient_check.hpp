// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/number_text.hpp"

SINTER_NAMESPACE_BEGIN

/// What check_gradient compares, and how closely.
struct GradientCheckOptions {
  std::optional<int> outputs = {};  ///< of a row that a loss is given: as many as it says that it reads, or else 5
  std::size_t rows = 12;            ///< that a loss or a model is given
  std::size_t most = 50;            ///< elements of each tensor of a model, drawn at random
  double tolerance = 1e-6;          ///< of a difference, as `difference` has it
  std::uint64_t seed = 1;
};

/// The result of check_gradient: the worst element of all that were compared.
struct GradientCheck {
  double difference = 0;  ///< |given - expected|, divided by |expected| where that is above 1
  double given = 0;       ///< by backward
  double expected = 0;    ///< by central differences, or, in a pack, by the same function of a single number
  std::string where = "nothing";
  double tolerance = 0;
  std::string fault = {};  ///< what a loss or a functor of rows does wrong apart from its numbers; mostly empty

  bool passed() const { return fault.empty() && difference <= tolerance; }
  explicit operator bool() const { return passed(); }
  /// A sentence.
  std::string text() const {
    if (!fault.empty()) return fault;
    if (!std::isfinite(expected))
      return "the gradient cannot be checked: at " + where +
             " the differences of the forward are not finite; give smaller inputs, or correct the forward";
    return std::string(passed() ? "the gradient is right: the largest difference is " : "the gradient is wrong: ") +
           (passed() ? exact_text(difference) + ", of " : "") + where + ": " + exact_text(given) + " was given, " +
           exact_text(expected) + " was expected";
  }
};

namespace detail {

SINTER_COLD inline void check_options(const GradientCheckOptions& options) {
  if (options.rows == 0 || options.most == 0)
    fail("check_gradient was given rows = " + std::to_string(options.rows) +
         " and most = " + std::to_string(options.most) + "; give 1 or more of each, or nothing is compared");
  if (options.rows > 1000000)
    fail("check_gradient was given rows = " + std::to_string(options.rows) + "; give at most 1000000");
  if (!is_finite(options.tolerance) || options.tolerance < 0)
    fail("check_gradient was given tolerance = " + exact_text(options.tolerance) +
         ", expected a finite number of 0 or more");
}

/// Takes elements, keeps the worst, and draws what they are checked at.
class GradientChecker {
 public:
  GradientChecker(const GradientCheckOptions& options, double tolerance) : random_(options.seed) {
    check_options(options);
    worst_.tolerance = tolerance;
  }
  double draw(double low, double high) { return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53; }
  std::vector<double> draw_all(std::size_t count, double low, double high) {
    std::vector<double> all(count);
    for (double& x : all) x = draw(low, high);
    return all;
  }
  template <class Where>
  void add(double given, double expected, const Where& where) {
    double difference = std::abs(given - expected) / std::max(1.0, std::abs(expected));
    if (!std::isfinite(difference)) difference = std::numeric_limits<double>::infinity();
    if (difference < worst_.difference || (difference == worst_.difference && looked_)) return;
    looked_ = true;
    worst_ = {difference, given, expected, where(), worst_.tolerance, {}};
  }
  /// f'(x) of f(), which reads x.
  template <class F>
  static double slope(double& x, const F& f, double step = 1e-6) {
    const double at = x, h = step * std::max(1.0, std::abs(at)), above = at + h, below = at - h;
    x = above;
    const double up = f();
    x = below;
    const double down = f();
    x = at;
    return (up - down) / (above - below);
  }
  const GradientCheck& worst() const { return worst_; }
  GradientCheck failed(const std::string& fault) const {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    return {std::numeric_limits<double>::infinity(), unknown, unknown, "nothing", worst_.tolerance, fault};
  }

 private:
  std::mt19937_64 random_;
  GradientCheck worst_;
  bool looked_ = false;
};

}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::GradientCheck;
using internal::GradientCheckOptions;
}  // namespace sinter

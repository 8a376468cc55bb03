// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/named_options.hpp"
#include "sinter/core/number_text.hpp"

SINTER_NAMESPACE_BEGIN

/// Numbers that a checkpoint keeps, in their order. `keep(x)` works in both directions: it stores x, or gives x the
/// number that was stored. Whole numbers are kept up to 2^53.
class KeptNumbers {
 public:
  /// To store numbers.
  KeptNumbers() = default;
  /// To read them.
  explicit KeptNumbers(std::vector<double> numbers) : numbers_(std::move(numbers)), taking_(true) {}

  bool taking() const { return taking_; }
  /// The numbers stored, or to be read.
  const std::vector<double>& numbers() const { return numbers_; }

  template <class T>
    requires std::is_arithmetic_v<T>
  void operator()(T& x) {
    if (!taking_) {
      numbers_.push_back(static_cast<double>(x));
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      constexpr double most = sizeof(T) < 8 ? static_cast<double>(std::numeric_limits<T>::max()) : 0x1p53;
      const double value = take();
      check(value >= (std::is_unsigned_v<T> ? 0 : -most) && value <= most);
      x = static_cast<T>(value);
    } else {
      x = static_cast<T>(take());
    }
  }
  template <class T>
  void operator()(std::vector<T>& all) {
    std::size_t size = all.size();
    (*this)(size);
    if (taking_ && size > numbers_.size() - next_) refuse();
    all.resize(size);
    for (T& x : all) (*this)(x);
  }
  /// The name of the object that the next numbers belong to, which must be the same when they are read.
  void of(std::string_view name);
  /// A number that must be the same when it is read.
  void same(const char* name, double now);
  /// An option of the program, which a checkpoint keeps by this name ("EarlyStopping.patience"): it must be the same
  /// when it is read, unless the user wants the program's.
  template <class T>
    requires std::is_arithmetic_v<T>
  void option(std::string_view name, const T& value) {
    detail::add_option(options_, name_of_its_own(name), value);
  }
  const NamedOptions& options() const { return options_; }
  /// The options that were read.
  void check(bool possible) const {
    if (taking_ && !possible) refuse();
  }
  /// Fails if some numbers have not been read.
  void end() const {
    if (taking_ && next_ != numbers_.size()) refuse();
  }

 private:
  double take();
  /// A second callback of a kind has options of its own: "EarlyStopping.patience (2)".
  SINTER_COLD std::string name_of_its_own(std::string_view name) const;
  [[noreturn]] SINTER_COLD static void refuse();

  std::vector<double> numbers_;
  NamedOptions options_;
  std::size_t next_ = 0;
  bool taking_ = false;
};

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/train/kept_numbers.ipp"
#endif

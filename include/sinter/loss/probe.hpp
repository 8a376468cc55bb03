// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/of_library.hpp"
#include "sinter/core/type_name.hpp"
#include "sinter/loss/target.hpp"
#include "sinter/loss/weight.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// What a loss does with numbers that are not its row's, or leaves undone.
struct LossFault {
  enum Kind : unsigned char { none, varies, reads_outputs, reads_targets, writes_gradient, leaves_gradient };
  Kind kind = none;
  int index = 0;  // of the number in the row, which may be outside of it
};
/// A sentence about a loss that was given rows of `outputs` and `targets` numbers.
std::string fault_text(const std::string& loss, LossFault fault, int outputs, int targets);

/// The name of a loss, which is not that of the library's loss that it is derived from.
template <class Loss>
std::string name_of_loss() {
  std::string name;
  if constexpr (requires { Loss::name; }) name = Loss::name;
  if constexpr (requires { Loss::OfLibrary::name; } && !is_of_library<Loss>)
    if (name == Loss::OfLibrary::name) name.clear();
  return name.empty() ? TypeName<Loss>::text.data() : name;
}

/// A row of numbers between others: of a size known beforehand, without a heap, or of any.
template <class T, int Size>
class FencedRow {
 public:
  explicit FencedRow([[maybe_unused]] int size) : size_(size) {
    if constexpr (Size == 0) numbers_.resize(static_cast<std::size_t>(size + 2 * fence));
  }
  int size() const { return size_; }
  T* data() { return numbers_.data() + fence; }
  T& operator[](int i) { return data()[i]; }
  void surround(T with) {
    std::fill_n(numbers_.begin(), fence, with);
    std::fill(numbers_.begin() + fence + size_, numbers_.end(), with);
  }
  /// The index of the last number around the row for which f(number) holds, or `nowhere`.
  template <class F>
  int find_outside(const F& f) {
    for (int i = fence - 1; i >= 0; --i)
      for (const int at : {size_ + i, -1 - i})
        if (f((*this)[at])) return at;
    return nowhere;
  }
  static constexpr int nowhere = std::numeric_limits<int>::min();

 private:
  static constexpr int fence = Size == 0 ? 4096 : 256;
  int size_;
  std::conditional_t<Size == 0, std::vector<T>, std::array<T, std::size_t{Size + 2 * fence}>> numbers_{};
};

/// Calls a loss with rows between numbers that change, which must not matter. The size of the rows is known beforehand,
/// unless Size is 0.
template <class T, class Loss, int Size = 0>
class LossProbe {
  static constexpr bool classes = std::is_same_v<typename Loss::Target, ClassTarget>;
  using Row = FencedRow<T, Size>;

 public:
  LossProbe(const Loss& loss, int outputs, int targets)
      : loss_(loss), y_(outputs), target_(targets), dy_(outputs), expected_(outputs) {}

  /// At outputs of many sizes with targets between 0 and 1, then at the other targets, such as numbers of classes.
  SINTER_COLD LossFault find() {
    const int last = y_.size() - 1, labels[] = {0, last, last / 2, 1, 2, 3, last - 1};
    const Range outputs[] = {{-2, 2}, {0.05, 0.95}, {-6, -0.1}, {3.5, 20}, {-20, -10}};
    const double targets[] = {-2, 0, 0.5, 1, 3, static_cast<double>(last), static_cast<double>(last / 2)};
    LossFault fault;
    for (int i = 0; i < 5 && fault.kind == LossFault::none; ++i) fault = find_at(outputs[i], {0, 1}, labels[i]);
    for (int i = 0; i < 7 && fault.kind == LossFault::none; ++i)
      fault = find_at(outputs[0], {targets[i], targets[i]}, labels[i]);
    return fault;
  }

 private:
  struct Range {
    double low, high;
  };

  T draw(Range range) {
    place_ += 0.6180339887498949;
    if (place_ >= 1) place_ -= 1;
    return static_cast<T>(range.low + (range.high - range.low) * place_);
  }
  LossFault find_at(Range outputs, Range targets, int label) {
    inside_ = -inside_;  // a number that is not what a loss may write
    for (int i = 0; i < y_.size(); ++i) y_[i] = draw(outputs);
    for (int i = 0; i < target_.size(); ++i) target_[i] = draw(targets);
    label_ = static_cast<T>(std::clamp(label, 0, y_.size() - 1));
    return find_here();
  }
  LossFault find_here() {
    for (Row* row : {&y_, &target_, &dy_}) row->surround(inside_);
    expected_value_ = call(inside_);
    std::copy_n(dy_.data(), dy_.size(), expected_.data());
    const int written = dy_.find_outside([this](T x) { return x != inside_; });
    if (changed()) return {LossFault::varies, 0};
    if (const int at = find_read(y_); at != y_.nowhere) return {LossFault::reads_outputs, at};
    if constexpr (!classes)
      if (const int at = find_read(target_); at != target_.nowhere) return {LossFault::reads_targets, at};
    if (written != dy_.nowhere) return {LossFault::writes_gradient, written};
    call(T(-7));
    if (const int at = first_other(); at < dy_.size()) return {LossFault::leaves_gradient, at};
    return {};
  }
  /// The number around a row that the results depend on.
  int find_read(Row& row) {
    for (const T other : {T(-3), std::numeric_limits<T>::quiet_NaN()}) {
      row.surround(other);
      const bool matters = changed();
      row.surround(inside_);
      if (matters)
        return row.find_outside([&](T& number) {
          number = other;
          const bool this_one = changed();
          number = inside_;
          return this_one;
        });
    }
    return row.nowhere;
  }
  bool changed() { return !same(call(inside_), expected_value_) || first_other() < dy_.size(); }
  /// The first number of the gradient that is another than expected; behind the last one if none is.
  int first_other() {
    int i = 0;
    while (i < dy_.size() && same(dy_[i], expected_[i])) ++i;
    return i;
  }
  /// The loss of the row; its gradient, if the loss has a backward, is written over numbers `before`.
  T call(T before) {
    const auto compare = [&](auto target) {
      const T* const y = y_.data();
      const T value = loss_.forward(y, y_.size(), target);
      dy_.surround(inside_);
      std::fill_n(dy_.data(), dy_.size(), inside_);
      if constexpr (requires(T* dy) { loss_.backward(y, 1, target, T(1), dy); }) {
        std::fill_n(dy_.data(), dy_.size(), before);
        loss_.backward(y, y_.size(), target, T(0.5), dy_.data());
      }
      return value;
    };
    if constexpr (classes)
      return compare(label_);
    else
      return compare(static_cast<const T*>(target_.data()));
  }
  static bool same(const T& a, const T& b) { return is_finite(a) || is_finite(b) ? a == b : true; }

  T inside_ = T(0.625);
  const Loss& loss_;
  Row y_, target_, dy_, expected_;
  T label_ = T(-1), expected_value_ = T(0);
  double place_ = 0;
};

/// What a loss does wrong in rows of so many numbers.
template <class T, class Loss, int Size = 0>
LossFault fault_of([[maybe_unused]] const Loss& loss, [[maybe_unused]] int outputs, [[maybe_unused]] int targets) {
  if constexpr (is_of_library<Loss>)
    return {};
  else
    return LossProbe<T, Loss, Size>(loss, outputs, targets).find();
}

/// The same as a sentence, of a loss of positions for the row of one; empty if there is no fault.
template <class T, class Loss>
std::string fault_on_rows([[maybe_unused]] const Loss& loss, [[maybe_unused]] int outputs,
                          [[maybe_unused]] int targets) {
  if constexpr (LabelsPositions<Loss>)
    return fault_on_rows<T>(loss.loss, Loss::classes_of_position, 1);
  else if constexpr (!is_of_library<Loss>)
    if (const LossFault fault = LossProbe<T, Loss>(loss, outputs, targets).find(); fault.kind != LossFault::none)
      return fault_text(name_of_loss<Loss>(), fault, outputs, targets);
  return {};
}

/// Fails if a loss, for rows of so many numbers of type T, has invalid options, reads or writes other numbers, or
/// leaves a gradient unwritten.
template <class T, class Loss>
void check_loss_on_rows(const Loss& loss, [[maybe_unused]] int outputs, [[maybe_unused]] int targets) {
  check_options(loss);
  if constexpr (heads_of_loss<Loss> > 0)
    loss.for_each([](int, const auto& head) { check_loss_on_rows<T>(head.loss, head.size, head.target_size); });
  else if (const std::string fault = fault_on_rows<T>(loss, outputs, targets); !fault.empty())
    fail(fault);
}

/// The same for the rows that a network makes.
template <class Net, class Loss>
void check_loss_for(const Loss& loss) {
  check_loss_on_rows<typename Net::Scalar>(loss, Net::output_size, target_size<Loss>(Net::output_size));
}

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/loss/probe.ipp"
#endif

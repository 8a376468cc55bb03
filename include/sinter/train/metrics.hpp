// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/math.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/records.hpp"
#include "sinter/train/evaluate.hpp"

SINTER_NAMESPACE_BEGIN

/// How far a fraction of `rows` rows may be off by chance: sqrt(p (1 - p) / rows), the standard error of a proportion.
/// NaN for NaN and without rows; fails outside 0 to 1.
double standard_error(double fraction, std::size_t rows);

/// How often rows of each class were classified as each class. A row with an output that is NaN has no answer.
/// Fractions are 0 to 1, and NaN if there is nothing to count.
class ConfusionMatrix {
 public:
  /// Of 0 to 32768 classes; fails at other numbers.
  explicit ConfusionMatrix(int classes);

  /// Counts a row of class `label` that was classified as `answer`; -1, as predicted_class returns it, is no answer.
  void add(int label, int answer) { ++counts_[answer == -1 ? none(label) : place(label, answer)]; }

  int classes() const { return classes_; }
  std::size_t operator()(int label, int answer) const { return counts_[place(label, answer)]; }
  std::size_t rows() const { return sum(0, counts_.size(), 1); }
  /// Rows of that class, rows classified as it, and rows of that class without an answer.
  std::size_t labelled(int c) const { return sum(place(checked(c), 0), width(), 1); }
  std::size_t answered(int c) const { return sum(place(0, checked(c)), index(classes_), width()); }
  std::size_t unanswered(int c) const { return counts_[none(c)]; }
  /// All rows without an answer.
  std::size_t unanswered() const { return sum(index(classes_), index(classes_), width()); }

  double accuracy() const { return fraction(sum(0, index(classes_), width() + 1), rows()); }
  double standard_error() const { return internal::standard_error(accuracy(), rows()); }
  /// Of the rows classified as c, the fraction that are c.
  double precision(int c) const { return fraction((*this)(c, c), answered(c)); }
  /// Of the rows that are c, the fraction classified as c.
  double recall(int c) const { return fraction((*this)(c, c), labelled(c)); }
  /// The harmonic mean of the two: 2 right / (labelled + answered).
  double f1(int c) const { return fraction(2 * (*this)(c, c), labelled(c) + answered(c)); }
  /// Intersection over union, the Jaccard index: right / (labelled + answered - right).
  double iou(int c) const { return fraction((*this)(c, c), labelled(c) + answered(c) - (*this)(c, c)); }
  /// Means over the classes that have one.
  double mean_precision() const { return mean(&ConfusionMatrix::precision); }
  double mean_recall() const { return mean(&ConfusionMatrix::recall); }
  double mean_iou() const { return mean(&ConfusionMatrix::iou); }

  /// A table with a line for each label and a column for each answer, and with precision and recall in percent; also a
  /// column of rows without an answer, if there are any.
  std::string text(const std::vector<std::string>& names = {}) const;

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  std::size_t place(int label, int answer) const;
  int checked(int c) const;
  std::size_t none(int label) const { return place(checked(label), 0) + index(classes_); }
  std::size_t width() const { return index(classes_) + 1; }
  /// The sum of `count` counts from `first` on, `step` apart.
  std::size_t sum(std::size_t first, std::size_t count, std::size_t step) const;
  static double fraction(std::size_t part, std::size_t of) {
    return of ? static_cast<double>(part) / static_cast<double>(of) : std::numeric_limits<double>::quiet_NaN();
  }
  double mean(double (ConfusionMatrix::*of)(int) const) const;

  int classes_;
  std::vector<std::size_t> counts_;  // [label][answer, the last of them none]
};

/// Compares the class with the largest output with the label, for each row of a dataset. Fails on a label out of range,
/// and on a number in the data that is not finite.
template <class Net, Dataset D>
ConfusionMatrix confusion_matrix(const Net& net, const D& data) {
  if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_classes<Net, D>()) {
    using T = typename Net::Scalar;
    constexpr int n = Net::output_size;
    check_size(data);
    check_finite<typename Net::Scalar>(data);
    detail::check_embedded<typename Net::Model>(data);
    check_labels(data.targets(), n);
    std::vector<int> answers(data.size());
    const auto answer = [&](std::size_t first, const T* y, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i, y += n) answers[first + i] = predicted_class(y, n);
    };
    detail::forward_all(net, data, answer, answers.data());
    ConfusionMatrix matrix(n);
    const BatchTargets<targets_of<D>> targets{data.targets()};
    for (std::size_t i = 0; i < data.size(); ++i) matrix.add(static_cast<int>(targets.label(i)), answers[i]);
    return matrix;
  } else {
    return ConfusionMatrix(0);
  }
}

/// The fraction of rows whose label is among the k largest outputs. Of equal outputs the first counts as the larger. A
/// row with an output that is NaN is not right. Fails as evaluate.
template <class Net, Dataset D>
double top_k_accuracy(const Net& net, const D& data, int k) {
  if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_classes<Net, D>()) {
    using T = typename Net::Scalar;
    constexpr int n = Net::output_size;
    if (k < 1 || k > n)
      fail("top_k_accuracy was asked for k = " + std::to_string(k) + " of a network with " + std::to_string(n) +
           " outputs; k is 1 to as many");
    detail::check_measurable<Net>(data, "top_k_accuracy");
    check_labels(data.targets(), n);
    const BatchTargets<targets_of<D>> targets{data.targets()};
    std::vector<unsigned char> right(data.size());
    const auto judge = [&](std::size_t first, const T* y, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i, y += n) {
        const int label = static_cast<int>(targets.label(first + i));
        int ahead = 0;
        for (int c = 0; c < n; ++c) ahead += c < label ? y[c] >= y[label] : y[c] > y[label];
        right[first + i] = predicted_class(y, n) >= 0 && ahead < k;
      }
    };
    detail::forward_all(net, data, judge, right.data());
    return static_cast<double>(std::count(right.begin(), right.end(), 1)) / static_cast<double>(data.size());
  } else {
    return 0;
  }
}

/// For files: refused with a message.
template <class Net, Records D>
ConfusionMatrix confusion_matrix(const Net&, const D&) {
  static_assert(!Records<D>, "sinter: confusion_matrix takes rows in memory; evaluate and score take files");
  return ConfusionMatrix(0);
}
/// For files: refused with a message.
template <class Net, Records D>
double top_k_accuracy(const Net&, const D&, int) {
  static_assert(!Records<D>, "sinter: top_k_accuracy takes rows in memory; evaluate and score take files");
  return 0;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::confusion_matrix;
using internal::ConfusionMatrix;
using internal::standard_error;
using internal::top_k_accuracy;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/train/metrics.ipp"
#endif

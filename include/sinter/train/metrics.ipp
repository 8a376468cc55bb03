// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack_sqrt.hpp"
#include "sinter/train/metrics.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION double standard_error(double fraction, std::size_t rows) {
  if (fraction < 0 || fraction > 1)
    fail("standard_error was given the fraction " + exact_text(fraction) + ", expected 0 to 1; divide percent by 100");
  if (rows == 0) return std::numeric_limits<double>::quiet_NaN();
  return fn::sqrt(fraction * (1 - fraction) / static_cast<double>(rows));
}

SINTER_FUNCTION ConfusionMatrix::ConfusionMatrix(int classes) : classes_(classes) {
  if (classes < 0 || classes > 32768)
    fail("a confusion matrix was given " + std::to_string(classes) + " classes, expected 0 to 32768");
  counts_.resize(index(classes) * (index(classes) + 1));
}

SINTER_FUNCTION std::size_t ConfusionMatrix::place(int label, int answer) const {
  if (label < 0 || label >= classes_ || answer < 0 || answer >= classes_)
    fail("a confusion matrix of " + std::to_string(classes_) + " classes was asked for label " + std::to_string(label) +
         " and answer " + std::to_string(answer) + "; classes are numbered from 0");
  return index(label) * width() + index(answer);
}

SINTER_FUNCTION int ConfusionMatrix::checked(int c) const {
  if (c < 0 || c >= classes_)
    fail("a confusion matrix of " + std::to_string(classes_) + " classes was asked for class " + std::to_string(c) +
         "; classes are numbered from 0");
  return c;
}

SINTER_FUNCTION std::size_t ConfusionMatrix::sum(std::size_t first, std::size_t count, std::size_t step) const {
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) total += counts_[first + i * step];
  return total;
}

SINTER_FUNCTION double ConfusionMatrix::mean(double (ConfusionMatrix::*of)(int) const) const {
  double total = 0;
  int count = 0;
  for (int c = 0; c < classes_; ++c)
    if (const double value = (this->*of)(c); is_finite(value)) total += value, ++count;
  return count ? total / count : std::numeric_limits<double>::quiet_NaN();
}

SINTER_COLD SINTER_FUNCTION std::string ConfusionMatrix::text(const std::vector<std::string>& names) const {
  if (!names.empty() && names.size() != index(classes_))
    fail(joined({"names of ", names.size(), " classes were given for ", index(classes_), "; give one for each"}));
  const auto name = [&](int c) { return names.empty() ? std::to_string(c) : names[index(c)]; };
  const auto percent = [](double x) { return is_finite(x) ? fixed_text(100 * x, 1) : std::string("-"); };
  std::vector<std::vector<std::string>> table(1, {""});
  for (int c = 0; c < classes_; ++c) table[0].push_back(name(c));
  const bool some_for_none = unanswered() > 0;
  if (some_for_none) table[0].push_back("none");
  table[0].push_back("recall");
  for (int label = 0; label < classes_; ++label) {
    table.push_back({name(label)});
    for (int c = 0; c < classes_; ++c) table.back().push_back(std::to_string((*this)(label, c)));
    if (some_for_none) table.back().push_back(std::to_string(unanswered(label)));
    table.back().push_back(percent(recall(label)));
  }
  table.push_back({"precision"});
  for (int c = 0; c < classes_; ++c) table.back().push_back(percent(precision(c)));
  if (some_for_none) table.back().emplace_back();
  table.back().push_back(percent(accuracy()));

  std::string text;
  for (const auto& line : table) {
    for (std::size_t column = 0; column < line.size(); ++column) {
      std::size_t width = 0;
      for (const auto& other : table) width = std::max(width, other[column].size());
      text.append(width - line[column].size() + (column ? 2 : 0), ' ') += line[column];
    }
    text += '\n';
  }
  return text;
}

SINTER_NAMESPACE_END

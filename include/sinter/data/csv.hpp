// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/core/finite.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/parse_number.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/read_file.hpp"

SINTER_NAMESPACE_BEGIN

/// How to read a CSV file.
struct CsvOptions {
  char separator = ',';  ///< not a quote or the end of a line
  bool header = true;    ///< the first line names the columns; without one they are numbered: "1", "2"
  /// What stands for a gap, blanks around it aside; by default what pandas takes for one.
  std::vector<std::string> missing_texts = {"",     "#N/A", "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN",
                                            "-nan", "<NA>", "1.#IND",   "N/A",  "1.#QNAN", "NA",       "NULL",
                                            "NaN",  "None", "n/a",      "null", "nan"};
};

/// How columns are taken as numbers.
struct CsvNumbers {
  std::optional<double> missing = {};  ///< the number in place of a gap, such as NAN; without one, a gap is an error
};

/// A column of words as classes: names[labels[row]] is what row has there. Names are in the order of their bytes.
struct CsvClasses {
  std::vector<int> labels;
  std::vector<std::string> names;
};

/// The fields of a CSV file, of which columns are taken by name:
///
///     const CsvTable houses = read_csv("houses.csv");
///     const auto x = houses.numbers({"rooms", "age"});  // Tensor<float, Shape<2>>
///     const auto y = houses.numbers({"price"});
///     fit(net, dataset(x, y), MSELoss{}, ..);
class CsvTable {
 public:
  std::size_t rows() const { return lines_.size(); }
  const std::vector<std::string>& columns() const { return columns_; }
  /// The text of a field, without its quotes, valid as long as the table. `row` counts from 0 and is not checked. Fails
  /// if the column does not exist.
  std::string_view field(std::size_t row, std::string_view column) const { return field(row, find(column)); }

  /// The named columns as numbers, [rows][columns named], in that order: table.numbers({"rooms", "age"}). Fails if a
  /// column does not exist, and with line and column at a field that is not a finite number, nor a gap that `options`
  /// take. Numbers below the smallest of T are 0.
  template <class T = float, std::size_t N>
  Tensor<T, Shape<static_cast<int>(N)>> numbers(const std::string_view (&names)[N],
                                                const CsvNumbers& options = {}) const {
    return each_of<T>(names, [&](std::size_t row, std::size_t column) { return number<T>(row, column, options); });
  }
  /// Where the named columns have gaps, [rows][columns named]: 1 in place of a gap, else 0.
  template <class T = float, std::size_t N>
  Tensor<T, Shape<static_cast<int>(N)>> missing(const std::string_view (&names)[N]) const {
    return each_of<T>(names,
                      [&](std::size_t row, std::size_t column) { return is_missing(row, column) ? T(1) : T(0); });
  }
  /// A column of labels, one for each row. Fails, with line and column, at a field that is not a whole number from 0,
  /// with or without a point: pandas writes 3 as "3.0" in a column with gaps.
  std::vector<int> labels(std::string_view column) const;
  /// A column of words as labels: each distinct text is a class, numbered in byte order. Blanks count as text.
  CsvClasses classes(std::string_view column) const;
  /// A column of words as labels among names that are known, such as those of the table that a network was trained on:
  /// names[label] is what the row has there. Fails, with line and column, at another word.
  std::vector<int> classes(std::string_view column, const std::vector<std::string>& names) const;

 private:
  friend struct CsvReader;

  std::string_view field(std::size_t row, std::size_t column) const {
    const std::size_t i = row * columns_.size() + column, first = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(first, ends_[i] - first);
  }
  std::size_t find(std::string_view column) const;
  [[noreturn]] void refuse(std::size_t row, std::size_t column, std::string_view expected) const;
  template <class T>
  T number(std::size_t row, std::size_t column, const CsvNumbers& options) const;
  bool is_missing(std::size_t row, std::size_t column) const;
  template <class T, std::size_t N, class Take>
  Tensor<T, Shape<static_cast<int>(N)>> each_of(const std::string_view (&names)[N], Take&& take) const {
    std::size_t places[N];
    for (std::size_t c = 0; c < N; ++c) places[c] = find(names[c]);
    Tensor<T, Shape<static_cast<int>(N)>> result(rows());
    for (std::size_t row = 0; row < rows(); ++row)
      for (std::size_t c = 0; c < N; ++c) result.data()[row * N + c] = take(row, places[c]);
    return result;
  }

  std::vector<std::string> missing_texts_;
  std::string name_, text_;         // the fields one behind another, without quotes
  std::vector<std::size_t> ends_;   // [rows][columns], in text_
  std::vector<std::size_t> lines_;  // where each row begins, from 1
  std::vector<std::string> columns_;
};

namespace detail {
/// A field without the blanks around it and a plus before it, which from_chars knows nothing of.
inline std::string_view trimmed(std::string_view field) {
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
  if (field.size() > 1 && field.front() == '+' && field[1] != '-') field.remove_prefix(1);
  return field;
}
/// A whole number from 0, also as pandas writes those of a column with gaps: "3.0".
inline bool parse_label(std::string_view field, int& label) {
  const std::string_view text = trimmed(field);
  double number = -1;
  if (parse_number(text, label) == NumberText::no_number && parse_number(text, number) == NumberText::number &&
      number >= 0 && number <= std::numeric_limits<int>::max() && number == static_cast<int>(number)) {
    label = static_cast<int>(number);
    return true;
  }
  return parse_number(text, label) == NumberText::number && label >= 0;
}
}  // namespace detail

SINTER_COLD inline std::size_t CsvTable::find(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  std::string known;
  for (const auto& one : columns_) known += (known.empty() ? "\"" : ", \"") + one + "\"";
  if (found == columns_.end())
    fail(joined({name_, " has no column \"", column, "\", but ", known, "; ask for one of these"}));
  if (std::find(found + 1, columns_.end(), column) != columns_.end())
    fail(joined({name_, " has two columns \"", column, "\"; rename one, or read it without a header"}));
  return static_cast<std::size_t>(found - columns_.begin());
}
SINTER_COLD inline void CsvTable::refuse(std::size_t row, std::size_t column, std::string_view expected) const {
  const std::string_view given = field(row, column);
  fail(joined({name_, ", line ", lines_[row], ", column ", column + 1, " (\"", columns_[column],
               "\"): ", given.empty() ? "nothing was given" : "\"", given.substr(0, 40),
               given.empty() ? "" : "\" was given", ", expected ", expected}));
}
SINTER_COLD inline bool CsvTable::is_missing(std::size_t row, std::size_t column) const {
  const std::string_view text = detail::trimmed(field(row, column));
  return std::find(missing_texts_.begin(), missing_texts_.end(), text) != missing_texts_.end();
}
template <class T>
T CsvTable::number(std::size_t row, std::size_t column, const CsvNumbers& options) const {
  T value{};
  const bool missing = is_missing(row, column);
  if (missing && options.missing) return static_cast<T>(*options.missing);
  const auto kind = detail::parse_number(detail::trimmed(field(row, column)), value);
  if (kind == detail::NumberText::number && is_finite(value)) return value;
  if (kind == detail::NumberText::too_large)
    refuse(row, column,
           joined({"a number from ", exact_text(std::numeric_limits<T>::lowest()), " to ",
                   exact_text(std::numeric_limits<T>::max()),
                   sizeof(T) == 4 ? "; ask for numbers<double>(..), or correct it" : "; correct it"}));
  refuse(row, column,
         missing            ? "a finite number; fill the gap or remove the line, or take gaps by {.missing = NAN}"
         : lines_[row] == 1 ? "a finite number; if the first line names the columns, leave .header = true"
         : options.missing
             ? "a finite number or a gap; what else stands for one belongs to .missing_texts of the CsvOptions"
             : "a finite number; correct it or remove the line");
}
SINTER_COLD inline std::vector<int> CsvTable::labels(std::string_view column) const {
  const std::size_t place = find(column);
  std::vector<int> all(rows());
  for (std::size_t row = 0; row < rows(); ++row)
    if (!detail::parse_label(field(row, place), all[row]))
      refuse(row, place, "the number of a class, from 0; classes() numbers words");
  return all;
}
SINTER_COLD inline CsvClasses CsvTable::classes(std::string_view column) const {
  const std::size_t place = find(column);
  CsvClasses all;
  for (std::size_t row = 0; row < rows(); ++row) all.names.emplace_back(field(row, place));
  std::sort(all.names.begin(), all.names.end());
  all.names.erase(std::unique(all.names.begin(), all.names.end()), all.names.end());
  for (std::size_t row = 0; row < rows(); ++row)
    all.labels.push_back(
        static_cast<int>(std::lower_bound(all.names.begin(), all.names.end(), field(row, place)) - all.names.begin()));
  return all;
}
SINTER_COLD inline std::vector<int> CsvTable::classes(std::string_view column,
                                                      const std::vector<std::string>& names) const {
  const std::size_t place = find(column);
  std::vector<int> labels;
  for (std::size_t row = 0; row < rows(); ++row) {
    const auto found = std::find(names.begin(), names.end(), field(row, place));
    if (found == names.end())
      refuse(row, place, joined({"one of the ", names.size(), " names that were given; correct it, or train with it"}));
    labels.push_back(static_cast<int>(found - names.begin()));
  }
  return labels;
}

/// Walks through the text of a file, field by field (RFC 4180): a field in quotes may hold separators, ends of lines
/// and doubled quotes; lines end with LF or CR LF; those without a character are left out.
struct CsvReader {
  std::string_view text;
  const CsvOptions& options;
  CsvTable table;
  std::size_t at = 0, line = 1, columns = 0;

  [[noreturn]] SINTER_COLD void refuse(std::size_t where, std::initializer_list<TextPiece> what) const {
    fail(joined({table.name_, ", line ", where, ": ", joined(what)}));
  }
  bool at_end_of_line() const {
    return at == text.size() || text[at] == '\n' || (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n');
  }
  void skip_end_of_line() {
    if (at == text.size()) return;
    at += text[at] == '\r' ? 2 : 1;
    ++line;
  }
  void read_field(std::size_t column) {
    if (at < text.size() && text[at] == '"') {
      const std::size_t begin = line;
      for (++at;; ++at) {
        if (at == text.size())
          refuse(begin, {"the quotes of column ", column, " are not closed; close them, or double a quote within"});
        if (text[at] == '\n') ++line;
        if (text[at] == '"') {
          if (at + 1 == text.size() || text[at + 1] != '"') break;
          ++at;
        }
        table.text_ += text[at];
      }
      ++at;
      if (!at_end_of_line() && text[at] != options.separator)
        refuse(line, {"text follows the closing quote of column ", column, "; double a quote that belongs to it"});
    } else {
      while (!at_end_of_line() && text[at] != options.separator) table.text_ += text[at++];
    }
    table.ends_.push_back(table.text_.size());
  }
  void read_row() {
    const std::size_t begin = line;
    std::size_t count = 0;
    do read_field(++count);
    while (!at_end_of_line() && ++at);
    skip_end_of_line();
    if (columns == 0) columns = count;
    if (count != columns)
      refuse(begin, {count, count == 1 ? " field was" : " fields were", " given, expected ", columns,
                     " as in the first line; add what is missing, or give the right .separator"});
    table.lines_.push_back(begin);
  }
  void name_columns() {
    for (std::size_t c = 0; c < columns; ++c) table.columns_.push_back(std::to_string(c + 1));
    if (!options.header) return;
    bool numbers = true;
    double value = 0;
    for (std::size_t c = 0; c < columns; ++c)
      numbers =
          numbers && detail::parse_number(detail::trimmed(table.field(0, c)), value) != detail::NumberText::no_number;
    if (numbers)
      refuse(table.lines_[0], {"numbers alone were given, expected the names of columns; read a file without names "
                               "with {.header = false}"});
    std::vector<std::string> names;
    for (std::size_t c = 0; c < columns; ++c) names.emplace_back(detail::trimmed(table.field(0, c)));
    table.columns_ = std::move(names);
    const std::size_t cut = table.ends_[columns - 1];
    table.text_.erase(0, cut);
    table.ends_.erase(table.ends_.begin(), table.ends_.begin() + static_cast<std::ptrdiff_t>(columns));
    for (std::size_t& end : table.ends_) end -= cut;
    table.lines_.erase(table.lines_.begin());
  }
  SINTER_COLD CsvTable read(const std::string& name) {
    table.name_ = name;
    table.missing_texts_ = options.missing_texts;
    if (const char s = options.separator; s == '"' || s == '\n' || s == '\r')
      fail(name + " was to be read with a quote or the end of a line as its .separator; give another character");
    if (text.substr(0, 3) == "\xEF\xBB\xBF") at = 3;  // a mark of UTF-8
    while (at < text.size())
      if (at_end_of_line())
        skip_end_of_line();
      else
        read_row();
    if (columns == 0) fail(name + " is empty, expected lines of fields; check that it is the right file");
    name_columns();
    if (table.rows() == 0) fail(name + " has no line below the names of its columns; check that it is whole");
    return std::move(table);
  }
};

/// The CSV file in `text`; `name` is what messages call it. Fails, with the line, where a line has other columns than
/// the first.
inline CsvTable parse_csv(std::string_view text, const CsvOptions& options = {},
                          const std::string& name = "the CSV data") {
  CsvReader reader{text, options, {}};
  return reader.read(name);
}
/// Reads a whole CSV file into memory; rows() is the number of lines below the header. Fails if the file cannot be read
/// or is empty, if a line has another number of fields than the first, and if the header contains only numbers.
inline CsvTable read_csv(const std::string& path, const CsvOptions& options = {}) {
  const auto bytes = read_file(path, "CSV file");
  return parse_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, options, path);
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::CsvClasses;
using internal::CsvNumbers;
using internal::CsvOptions;
using internal::CsvTable;
using internal::parse_csv;
using internal::read_csv;
}  // namespace sinter

// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/parse_number.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/fits_in.hpp"
#include "sinter/data/read_file.hpp"

SINTER_NAMESPACE_BEGIN

/// How to read a CSV file.
struct CsvOptions {
  char separator = ',';  ///< not a quote or the end of a line
  bool header = true;    ///< the first line names the columns; without one they are numbered: "1", "2"
  /// The texts that mark a gap, ignoring blanks around them; by default those that pandas treats as missing.
  std::vector<std::string> missing_texts = {"",     "#N/A", "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN",
                                            "-nan", "<NA>", "1.#IND",   "N/A",  "1.#QNAN", "NA",       "NULL",
                                            "NaN",  "None", "n/a",      "null", "nan"};
  /// Leave out a last line that has no end: a part of one, in a log that is written or whose writer was killed.
  bool whole_lines = false;
};

/// How columns are taken as numbers.
struct CsvNumbers {
  std::optional<double> missing = {};  ///< the number that replaces a gap, such as NAN; without one, a gap is an error
};

/// A column of words as classes: names[labels[row]] is the word of a row. Names are sorted by their bytes.
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
  /// The text of a field, without its quotes, valid as long as the table. `row` counts from 0. Fails if the row or the
  /// column does not exist.
  std::string_view field(std::size_t row, std::string_view column) const { return field(row, find(column)); }

  /// The named columns as numbers, [rows][columns named], in that order: table.numbers({"rooms", "age"}). Fails if a
  /// column does not exist, and with line and column at a field that is neither a finite number nor a gap that
  /// `options` accept, or if T does not hold `options.missing`. Numbers below the smallest of T are 0.
  template <class T = float, std::size_t N>
  Tensor<T, Shape<static_cast<int>(N)>> numbers(const std::string_view (&names)[N],
                                                const CsvNumbers& options = {}) const {
    if (options.missing &&
        (std::abs(*options.missing) > std::numeric_limits<double>::max() || !detail::fits_in<T>(*options.missing)))
      refuse_missing(*options.missing, range_text<T>());
    return each_of<T>(names, [&](std::size_t row, std::size_t column) { return number<T>(row, column, options); });
  }
  /// One column: table.numbers("rooms").
  template <class T = float, std::convertible_to<std::string_view> Name>
  Tensor<T, Shape<1>> numbers(const Name& name, const CsvNumbers& options = {}) const {
    return numbers<T>({std::string_view(name)}, options);
  }
  /// Where the named columns have gaps, [rows][columns named]: 1 for a gap, else 0.
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
  /// A column of words as labels among known names, such as those of the table that a network was trained on:
  /// names[label] is the word of the row. Fails, with line and column, at another word.
  std::vector<int> classes(std::string_view column, const std::vector<std::string>& names) const;

 private:
  friend struct CsvReader;

  std::string_view field(std::size_t row, std::size_t column) const;
  std::size_t find(std::string_view column) const;
  [[noreturn]] void refuse(std::size_t row, std::size_t column, std::string_view expected) const;
  [[noreturn]] void refuse_missing(double given, std::string_view expected) const;
  template <class T>
  static std::string range_text() {
    return joined({"a number from ", exact_text(std::numeric_limits<T>::lowest()), " to ",
                   exact_text(std::numeric_limits<T>::max()),
                   sizeof(T) == 4 ? "; ask for numbers<double>(..), or correct it" : "; correct it"});
  }
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
  std::string name_, text_;         // the fields one after another, without quotes
  std::vector<std::size_t> ends_;   // [rows][columns], in text_
  std::vector<std::size_t> lines_;  // where each row begins, from 1
  std::vector<std::string> columns_;
};

namespace detail {
/// A field without surrounding blanks and a leading plus, which from_chars does not accept.
std::string_view trimmed(std::string_view field);
/// A whole number from 0, also as pandas writes those of a column with gaps: "3.0".
bool parse_label(std::string_view field, int& label);
}  // namespace detail

template <class T>
T CsvTable::number(std::size_t row, std::size_t column, const CsvNumbers& options) const {
  T value{};
  const bool missing = is_missing(row, column);
  if (missing && options.missing) return static_cast<T>(*options.missing);
  const auto kind = detail::parse_number(detail::trimmed(field(row, column)), value);
  if (kind == detail::NumberText::number && is_finite(value)) return value;
  if (kind == detail::NumberText::too_large) refuse(row, column, range_text<T>());
  refuse(row, column,
         missing            ? "a finite number; fill the gap or remove the line, or take gaps by {.missing = NAN}"
         : lines_[row] == 1 ? "a finite number; if the first line names the columns, leave .header = true"
         : options.missing
             ? "a finite number or a gap; what else stands for one belongs to .missing_texts of the CsvOptions"
             : "a finite number; correct it or remove the line");
}

/// Walks through the text of a file, field by field (RFC 4180): a field in quotes may hold separators, ends of lines
/// and doubled quotes; lines end with LF, CR LF or CR; those without a character are left out.
struct CsvReader {
  std::string_view text;
  const CsvOptions& options;
  CsvTable table;
  std::size_t at = 0, line = 1, columns = 0;

  [[noreturn]] SINTER_COLD void refuse(std::size_t where, std::initializer_list<TextPiece> what) const;
  bool at_end_of_line() const { return at == text.size() || text[at] == '\n' || text[at] == '\r'; }
  /// Whether a line ends with the character at `place`: not with the CR of CR LF.
  bool ends_line(std::size_t place) const {
    return text[place] == '\n' || (text[place] == '\r' && (place + 1 == text.size() || text[place + 1] != '\n'));
  }
  void require_text() const;
  void skip_end_of_line();
  void read_field(std::size_t column);
  void read_row();
  void name_columns();
  SINTER_COLD CsvTable read(const std::string& name);
};

/// The CSV file in `text`; `name` is what messages call it. Fails, and names the line, if a line has another number of
/// columns than the first, or a byte 0, and if the text is UTF-16.
CsvTable parse_csv(std::string_view text, const CsvOptions& options = {}, const std::string& name = "the CSV data");
/// Reads a whole CSV file into memory; rows() is the number of lines below the header. Fails if the file cannot be read
/// or is empty, if a line has another number of fields than the first, and if the header contains only numbers.
CsvTable read_csv(const std::string& path, const CsvOptions& options = {});

SINTER_NAMESPACE_END

namespace sinter {
using internal::CsvClasses;
using internal::CsvNumbers;
using internal::CsvOptions;
using internal::CsvTable;
using internal::parse_csv;
using internal::read_csv;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/data/csv.ipp"
#endif

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include "sinter/data/csv.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION std::string_view CsvTable::field(std::size_t row, std::size_t column) const {
  if (row >= rows())
    fail(joined({name_, " has ", rows(), " rows, and row ", row, " was asked for; rows count from 0"}));
  const std::size_t i = row * columns_.size() + column, first = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(text_).substr(first, ends_[i] - first);
}

namespace detail {

SINTER_FUNCTION std::string_view trimmed(std::string_view field) {
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
  if (field.size() > 1 && field.front() == '+' && field[1] != '-') field.remove_prefix(1);
  return field;
}

SINTER_FUNCTION bool parse_label(std::string_view field, int& label) {
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

SINTER_COLD SINTER_FUNCTION std::size_t CsvTable::find(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  std::string known;
  for (const auto& one : columns_) known += (known.empty() ? "\"" : ", \"") + one + "\"";
  if (found == columns_.end())
    fail(joined({name_, " has no column \"", column, "\", but ", known, "; ask for one of these"}));
  if (std::find(found + 1, columns_.end(), column) != columns_.end())
    fail(joined({name_, " has two columns \"", column, "\"; rename one, or read it without a header"}));
  return static_cast<std::size_t>(found - columns_.begin());
}

SINTER_COLD SINTER_FUNCTION void CsvTable::refuse(std::size_t row, std::size_t column,
                                                  std::string_view expected) const {
  const std::string_view given = field(row, column);
  fail(joined({name_, ", line ", lines_[row], ", column ", column + 1, " (\"", columns_[column],
               "\"): ", given.empty() ? "nothing was given" : "\"", given.substr(0, 40),
               given.empty() ? "" : "\" was given", ", expected ", expected}));
}

SINTER_COLD SINTER_FUNCTION void CsvTable::refuse_missing(double given, std::string_view expected) const {
  fail(joined({name_, " was asked for numbers with .missing = ", exact_text(given), ", expected NAN or ", expected}));
}

SINTER_COLD SINTER_FUNCTION bool CsvTable::is_missing(std::size_t row, std::size_t column) const {
  const std::string_view text = detail::trimmed(field(row, column));
  return std::find(missing_texts_.begin(), missing_texts_.end(), text) != missing_texts_.end();
}

SINTER_COLD SINTER_FUNCTION std::vector<int> CsvTable::labels(std::string_view column) const {
  const std::size_t place = find(column);
  std::vector<int> all(rows());
  for (std::size_t row = 0; row < rows(); ++row)
    if (!detail::parse_label(field(row, place), all[row]))
      refuse(row, place, "the number of a class, from 0; classes() numbers words");
  return all;
}

SINTER_COLD SINTER_FUNCTION CsvClasses CsvTable::classes(std::string_view column) const {
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

SINTER_COLD SINTER_FUNCTION std::vector<int> CsvTable::classes(std::string_view column,
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

SINTER_FUNCTION void CsvReader::refuse(std::size_t where, std::initializer_list<TextPiece> what) const {
  fail(joined({table.name_, ", line ", where, ": ", joined(what)}));
}

SINTER_FUNCTION void CsvReader::skip_end_of_line() {
  if (at == text.size()) return;
  at += ends_line(at) ? 1 : 2;
  ++line;
}

SINTER_FUNCTION void CsvReader::read_field(std::size_t column) {
  if (at < text.size() && text[at] == '"') {
    const std::size_t begin = line;
    for (++at;; ++at) {
      if (at == text.size())
        refuse(begin, {"the quotes of column ", column, " are not closed; close them, or double a quote within"});
      if (ends_line(at)) ++line;
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

SINTER_FUNCTION void CsvReader::read_row() {
  const std::size_t begin = line;
  std::size_t count = 0;
  do read_field(++count);
  while (!at_end_of_line() && ++at);
  const bool has_end = at < text.size();
  skip_end_of_line();
  if (columns == 0) columns = count;
  if (count != columns)
    refuse(begin,
           {count, count == 1 ? " field was" : " fields were", " given, expected ", columns, " as in the first line; ",
            has_end ? "add what is missing, or give the right .separator"
                    : "the line has no end: leave it out by .whole_lines, or add what is missing"});
  table.lines_.push_back(begin);
}

SINTER_FUNCTION void CsvReader::name_columns() {
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

SINTER_FUNCTION void CsvReader::require_text() const {
  if (const auto begin = text.substr(0, 2); begin == "\xFF\xFE" || begin == "\xFE\xFF")
    fail(joined(
        {table.name_, " is text in UTF-16, expected UTF-8; save it in that encoding, in Excel as \"CSV UTF-8\""}));
  const std::size_t zero = text.find('\0');
  if (zero == text.npos) return;
  std::size_t where = 1;
  for (std::size_t i = 0; i < zero; ++i) where += ends_line(i) ? 1 : 0;
  refuse(where, {"a byte 0 was found, which text does not have; save it in UTF-8, or look for what wrote that byte"});
}

SINTER_FUNCTION CsvTable CsvReader::read(const std::string& name) {
  table.name_ = name;
  table.missing_texts_ = options.missing_texts;
  if (const char s = options.separator; s == '"' || s == '\n' || s == '\r' || s == '\0')
    fail(name +
         " was to be read with a quote, the end of a line or a byte 0 as its .separator; give another character");
  require_text();
  if (options.whole_lines) text = text.substr(0, text.find_last_of("\r\n") + 1);
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

SINTER_FUNCTION CsvTable parse_csv(std::string_view text, const CsvOptions& options, const std::string& name) {
  CsvReader reader{text, options, {}};
  return reader.read(name);
}

SINTER_FUNCTION CsvTable read_csv(const std::string& path, const CsvOptions& options) {
  const auto bytes = read_file(path, "CSV file");
  return parse_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, options, path);
}

SINTER_NAMESPACE_END

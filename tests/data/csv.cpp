// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <clocale>
#include <sinter/data/csv.hpp>
#include <sinter/data/dataset.hpp>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using namespace sinter;

namespace {
/// From memory and from a file alike.
std::string refusal(const std::string& text, const CsvOptions& options = {}) {
  const TemporaryFolder folder;
  const std::string path = folder / "f";
  write_bytes(path, text);
  const std::string from_memory = error_of([&] { parse_csv(text, options, path); });
  CHECK(error_of([&] { read_csv(path, options); }) == from_memory);
  return rename_in(from_memory, path, "F");
}
template <class Take>
std::string refused_field(const std::string& text, Take&& take, const CsvOptions& options = {}) {
  const CsvTable table = parse_csv(text, options, "F");
  return error_of([&] { take(table); });
}
}  // namespace

TEST_CASE("columns by name, in the order that is asked for, as a dataset") {
  const CsvTable table = parse_csv("id,x,y,price\n7, 1.5 ,-2e3,10\n8,+3,4,20.25\n");
  CHECK(table.rows() == 2);
  CHECK(table.columns() == std::vector<std::string>{"id", "x", "y", "price"});
  const auto inputs = table.numbers({"y", "x"});
  const auto targets = table.numbers<double>({"price"});
  static_assert(std::is_same_v<decltype(inputs), const Tensor<float, Shape<2>>>);
  static_assert(std::is_same_v<decltype(targets), const Tensor<double, Shape<1>>>);
  CHECK(std::vector(inputs.values().begin(), inputs.values().end()) == std::vector<float>{-2000, 1.5f, 4, 3});
  CHECK(targets(1, 0) == 20.25);
  CHECK(dataset(inputs, targets).size() == 2);
  CHECK(table.labels("id") == std::vector<int>{7, 8});
  CHECK(table.field(0, "x") == " 1.5 ");
}

TEST_CASE("no header, another separator, ends of lines, quotes, a mark of UTF-8, lines without a character") {
  const CsvTable plain = parse_csv("1;2\r\n\r\n3;4", {.separator = ';', .header = false});
  CHECK(plain.columns() == std::vector<std::string>{"1", "2"});
  CHECK(plain.labels("2") == std::vector<int>{2, 4});
  const CsvTable quoted = parse_csv("\xEF\xBB\xBFname,\"a, \"\"b\"\"\"\n\"two\nlines\",1\n\"\",2\n\n");
  CHECK(quoted.columns() == std::vector<std::string>{"name", "a, \"b\""});
  CHECK(quoted.rows() == 2);
  CHECK(quoted.field(0, "name") == "two\nlines");
  CHECK(quoted.field(1, "name").empty());
  CHECK(quoted.labels("a, \"b\"") == std::vector<int>{1, 2});
}

TEST_CASE("words as classes") {
  const auto classes = parse_csv("species\nvirginica\nsetosa\nvirginica\n").classes("species");
  CHECK(classes.names == std::vector<std::string>{"setosa", "virginica"});
  CHECK(classes.labels == std::vector<int>{1, 0, 1});
}

TEST_CASE("numbers are read the same in any locale") {
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // a decimal comma, where it is installed
  CHECK(parse_csv("x\n0.5\n").numbers<double>({"x"})(0, 0) == 0.5);
  std::setlocale(LC_ALL, "C");
}

TEST_CASE("what is no table, with its line") {
  CHECK(refusal("") == "F is empty, expected lines of fields; check that it is the right file");
  CHECK(refusal("\n\r\n\n").find("F is empty") == 0);
  CHECK(refusal("a,b\n") == "F has no line below the names of its columns; check that it is whole");
  CHECK(refusal("a,b\n1,2\n\n1,2,3\n") ==
        "F, line 4: 3 fields were given, expected 2 as in the first line; add what is missing, or give the right "
        ".separator");
  CHECK(refusal("a,b\n1\n").find("F, line 2: 1 field was given, expected 2") == 0);
  CHECK(refusal("a,b\n\"1\n2\",3\n4\n").find("F, line 4: 1 field was given") == 0);
  CHECK(refusal("a,b\n1,\"2\n3,4\n") ==
        "F, line 2: the quotes of column 2 are not closed; close them, or double a quote within");
  CHECK(refusal("a\n\"1\"2\n") ==
        "F, line 2: text follows the closing quote of column 1; double a quote that belongs to it");
  CHECK(refusal("1,2\n3,4\n") ==
        "F, line 1: numbers alone were given, expected the names of columns; read a file without names with {.header = "
        "false}");
  CHECK(refusal("a\n1\n", {.separator = '"'}).find("give another character") != std::string::npos);
}

TEST_CASE("fields that are not what was asked for, with line and column") {
  const auto x = [](const CsvTable& table) { table.numbers({"a", "x"}); };
  CHECK(refused_field("a,x\n1,2\n3,four\n", x) ==
        "F, line 3, column 2 (\"x\"): \"four\" was given, expected a finite number; fill the gap or remove the line");
  CHECK(refused_field("a,x\n1,\n", x).find("F, line 2, column 2 (\"x\"): nothing was given") == 0);
  for (const char* text : {"nan", "inf", "1e99", "0x10", "1 2", "1.5.2", "+-1", "--1", "1,5"})
    CHECK(refused_field(std::string("a,x\n1,\"") + text + "\"\n", x).find("expected a finite number") !=
          std::string::npos);
  CHECK(refused_field("\"q\n\",x,a\n\n1,2,z\n", x).find("F, line 4, column 3 (\"a\")") == 0);
  CHECK(refused_field("a,x\n1,2\n", [](const CsvTable& t) { t.numbers({"1"}); }, {.header = false}) ==
        "F, line 1, column 1 (\"1\"): \"a\" was given, expected a finite number; if the first line names the columns, "
        "leave .header = true");
  CHECK(
      refused_field("c\n-1\n", [](const CsvTable& t) { t.labels("c"); }) ==
      "F, line 2, column 1 (\"c\"): \"-1\" was given, expected the number of a class, from 0; classes() numbers words");
  CHECK(refused_field("c\n1.5\n", [](const CsvTable& t) { t.labels("c"); }).find("\"1.5\" was given") !=
        std::string::npos);
  CHECK(refused_field("c,d\n1,2\n", [](const CsvTable& t) { t.classes("e"); }) ==
        "F has no column \"e\", but \"c\", \"d\"; ask for one of these");
  CHECK(refused_field("c,c\n1,2\n", [](const CsvTable& t) { t.labels("c"); }).find("has two columns \"c\"") !=
        std::string::npos);
}

TEST_CASE("no file, a folder, a FIFO") {
  const TemporaryFolder folder;
  const std::string path = folder / "none";
  CHECK(error_of([&] { read_csv(path); }) == "cannot open " + path + ": No such file or directory; check the path");
  CHECK(error_of([&] { read_csv(""); }) == "the path of a file to read is empty; give one");
  for (const std::string& other : {folder.path, path}) {
    if (other == path) REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    CHECK(error_of([&] { read_csv(other); }) ==
          "cannot read " + other + ", expected a regular CSV file; check the path");
  }
}

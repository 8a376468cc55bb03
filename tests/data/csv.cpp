// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <sinter/data/csv.hpp>
#include <sinter/data/dataset.hpp>
#include <string>

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
  const Tensor<float, Shape<1>> x_alone = table.numbers("x");
  REQUIRE(x_alone.rows() == inputs.rows());
  for (std::size_t row = 0; row < x_alone.rows(); ++row) CHECK(x_alone(row, 0) == inputs(row, 1));
  const auto targets = table.numbers<double>({"price"});
  static_assert(std::is_same_v<decltype(inputs), const Tensor<float, Shape<2>>>);
  static_assert(std::is_same_v<decltype(targets), const Tensor<double, Shape<1>>>);
  CHECK(std::vector(inputs.values().begin(), inputs.values().end()) == std::vector<float>{-2000, 1.5f, 4, 3});
  CHECK(targets(1, 0) == 20.25);
  CHECK(dataset(inputs, targets).size() == 2);
  CHECK(table.labels("id") == std::vector<int>{7, 8});
  CHECK(table.field(0, "x") == " 1.5 ");
}

TEST_CASE("a field of a row that does not exist is refused") {
  const CsvTable table = parse_csv("a,b\n1,2\n");
  CHECK(table.field(0, "b") == "2");
  for (const std::size_t row : {std::size_t{1}, std::size_t{5000000}})
    CHECK(error_of([&] { table.field(row, "a"); }) ==
          "the CSV data has 1 rows, and row " + std::to_string(row) + " was asked for; rows count from 0");
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

TEST_CASE(
    "numbers below the smallest are 0 with their sign, as everywhere; those that are too large are refused as such") {
  const auto read = [](const std::string& text) { return parse_csv("x\n" + text + "\n"); };
  for (const char* text : {"3.2e-52", "7e-46", "1e-330", "0.1e-99999999999999999999",
                           "0.00000000000000000000000000000000"
                           "00000000000000000000000032"}) {
    CAPTURE(text);
    for (const char* sign : {"", "+", "-"}) {
      const float value = read(sign + std::string(text)).numbers({"x"})(0, 0);
      CHECK(value == 0);
      CHECK(std::signbit(value) == (*sign == '-'));
    }
  }
  CHECK(read("1e-45").numbers({"x"})(0, 0) == std::numeric_limits<float>::denorm_min());
  CHECK(read("3.2e-52").numbers<double>({"x"})(0, 0) == 3.2e-52);
  CHECK(read("-1e-330").numbers<double>({"x"})(0, 0) == 0);
  const std::string zeros(400, '0'), large = "1" + zeros + "e-330", small = "0." + zeros + "1e330";
  CHECK(read(large).numbers<double>({"x"})(0, 0) == 1e70);
  CHECK(read(small).numbers<double>({"x"})(0, 0) == doctest::Approx(1e-71));
  const auto refused = [&](const std::string& text) {
    const CsvTable table = parse_csv("x\n" + text + "\n", {}, "F");
    return error_of([&] { table.numbers({"x"}); });
  };
  CHECK(refused("3.5e38") ==
        "F, line 2, column 1 (\"x\"): \"3.5e38\" was given, expected a number from -3.4028235e+38 to 3.4028235e+38; "
        "ask for "
        "numbers<double>(..), or correct it");
  CHECK(has(refused("-1e+9999999999999999999999"), "expected a number from -3.4028235e+38 to 3.4028235e+38"));
  CHECK(has(refused("1" + zeros), "expected a number from"));
  CHECK(has(error_of([&] { read("1e309").numbers<double>({"x"}); }), "to 1.7976931348623157e+308; correct it"));
}

TEST_CASE("labels as pandas writes a column of integers that had gaps") {
  CHECK(parse_csv("c\n3.0\n-0\n 1e2 \n-0.0\n+7.\n").labels("c") == std::vector<int>{3, 0, 100, 0, 7});
  for (const char* text : {"0.5", "-1.0", "3000000000.0", "99999999999", "1e99", "nan", "1e-9", "", "1.0.0"})
    CHECK(has(refused_field(std::string("c\n\"") + text + "\"\n", [](const CsvTable& t) { t.labels("c"); }),
              "expected the number of a class, from 0"));
}

TEST_CASE("gaps: a number in their place, and columns that flag them") {
  const CsvTable table = parse_csv("a,b\n1,NA\n ,2\nnan,n/a\n\"\",-3\nNULL,<NA>\n4,None\n");
  const auto x = table.numbers({"b", "a"}, {.missing = NAN});
  const std::vector<float> b{NAN, 2, NAN, -3, NAN, NAN}, a{1, NAN, NAN, NAN, NAN, 4};
  const auto flags = table.missing({"b", "a"});
  static_assert(std::is_same_v<decltype(flags), const Tensor<float, Shape<2>>>);
  for (std::size_t row = 0; row < 6; ++row)
    for (int c = 0; c < 2; ++c) {
      const float wanted = (c ? a : b)[row];
      CHECK(std::isnan(x(row, c)) == std::isnan(wanted));
      CHECK(flags(row, c) == (std::isnan(wanted) ? 1 : 0));
      if (!std::isnan(wanted)) CHECK(x(row, c) == wanted);
    }
  CHECK(table.numbers<double>({"a"}, {.missing = -1})(1, 0) == -1);
  CHECK(refused_field("a\n1\nNA\n", [](const CsvTable& t) { t.numbers({"a"}); }) ==
        "F, line 3, column 1 (\"a\"): \"NA\" was given, expected a finite number; fill the gap or remove the line, or "
        "take gaps by {.missing = NAN}");
  const auto with_gaps = [](const CsvTable& t) { t.numbers({"a"}, {.missing = NAN}); };
  CHECK(refused_field("a\n1\n-\n", with_gaps) ==
        "F, line 3, column 1 (\"a\"): \"-\" was given, expected a finite number or a gap; what else stands for one "
        "belongs to .missing_texts of the CsvOptions");
  CHECK(refused_field("a\n1\n-\n", with_gaps, {.missing_texts = {"-"}}) == "(no error)");
  CHECK(has(refused_field("a\n1\nNA\n", with_gaps, {.missing_texts = {"-"}}), "\"NA\" was given"));
  CHECK(has(refused_field("a\n1\n1e99\n", with_gaps), "expected a number from"));
  CHECK(has(refused_field("a\n1\ninf\n", with_gaps), "\"inf\" was given, expected a finite number or a gap"));
  CHECK(refused_field("a\n1\n", [](const CsvTable& t) { t.numbers("a", {.missing = 1e39}); }) ==
        "F was asked for numbers with .missing = 1e+39, expected NAN or a number from -3.4028235e+38 to 3.4028235e+38; "
        "ask for numbers<double>(..), or correct it");
  CHECK(table.numbers<double>("a", {.missing = 1e39})(1, 0) == 1e39);
  for (const double infinite : {HUGE_VAL, -HUGE_VAL}) {
    CHECK(has(error_of([&] { table.numbers("a", {.missing = infinite}); }), "inf, expected NAN or a number from"));
    CHECK(has(error_of([&] { table.numbers<double>("a", {.missing = infinite}); }), "inf, expected NAN or a number"));
  }
  const CsvTable numbers_as_gaps = parse_csv("a\n-999\n5\n", {.missing_texts = {"-999"}});
  CHECK(std::isnan(numbers_as_gaps.numbers({"a"}, {.missing = NAN})(0, 0)));
  CHECK(numbers_as_gaps.missing({"a"})(0, 0) == 1);
}

TEST_CASE("words among names that are known") {
  const auto trained = parse_csv("town\nUlm\nKiel\n").classes("town");
  CHECK(parse_csv("town\nUlm\nUlm\n").classes("town", trained.names) == std::vector<int>{1, 1});
  CHECK(
      refused_field("town\nUlm\nBonn\n", [&](const CsvTable& t) { t.classes("town", trained.names); }) ==
      "F, line 3, column 1 (\"town\"): \"Bonn\" was given, expected one of the 2 names that were given; correct it, or "
      "train with it");
}

TEST_CASE("what is no table, with its line") {
  CHECK(refusal("") == "F is empty, expected lines of fields; check that it is the right file");
  CHECK(refusal("\n\r\n\n").find("F is empty") == 0);
  CHECK(refusal("a,b\n") == "F has no line below the names of its columns; check that it is whole");
  CHECK(refusal("a,b\n1,2\n\n1,2,3\n") ==
        "F, line 4: 3 fields were given, expected 2 as in the first line; add what is missing, or give the right "
        ".separator");
  CHECK(refusal("a,b\n1\n").find("F, line 2: 1 field was given, expected 2") == 0);
  CHECK(refusal("a,b,c\n1,2,3\n4,5") ==
        "F, line 3: 2 fields were given, expected 3 as in the first line; the line has no end: leave it out by "
        ".whole_lines, or add what is missing");
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
        "F, line 3, column 2 (\"x\"): \"four\" was given, expected a finite number; correct it or remove the line");
  CHECK(refused_field("a,x\n1,\n", x).find("F, line 2, column 2 (\"x\"): nothing was given") == 0);
  for (const char* text : {"nan", "inf", "0x10", "1 2", "1.5.2", "+-1", "--1", "1,5"})
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

TEST_CASE("lines that end with CR alone, as in old files of a Mac, and mixed") {
  const CsvTable table = parse_csv("a,b\r1,x\r\r2,\"y\rz\"\r3,w");
  CHECK(table.rows() == 3);
  CHECK(table.labels("a") == std::vector<int>{1, 2, 3});
  CHECK(table.field(1, "b") == "y\rz");
  const CsvTable mixed = parse_csv("a,b\r\n1,2\r3,4\n5,6\r\r\n7,8\r");
  CHECK(mixed.labels("b") == std::vector<int>{2, 4, 6, 8});
  // Lines are counted as they end.
  CHECK(refusal("a,b\r1,2\r3\r") ==
        "F, line 3: 1 field was given, expected 2 as in the first line; add what is missing, or give the right "
        ".separator");
  CHECK(has(refusal("a,b\r\"1\r2\r\n3\",2\r3\r"), "F, line 5: 1 field was given"));
  CHECK(parse_csv("a,b\r1,2\r3,", {.whole_lines = true}).rows() == 1);
  CHECK(has(refusal("1,2\r3,4\r"), "numbers alone were given"));
}

TEST_CASE("text in UTF-16 and bytes 0 are refused, and nothing of a message is cut off") {
  const auto wide = [](const std::string& text, bool big) {
    std::string bytes;
    for (const char c : text) bytes += big ? std::string{'\0', c} : std::string{c, '\0'};
    return bytes;
  };
  const std::string utf16 = "F is text in UTF-16, expected UTF-8; save it in that encoding, in Excel as \"CSV UTF-8\"";
  CHECK(refusal("\xFF\xFE" + wide("a,b\n1,2\n", false)) == utf16);
  CHECK(refusal("\xFE\xFF" + wide("a,b\n1,2\n", true)) == utf16);
  const auto zero = [](const std::string& line) {
    return "F, line " + line +
           ": a byte 0 was found, which text does not have; save it in UTF-8, or look for what wrote that byte";
  };
  for (const bool big : {false, true}) CHECK(refusal(wide("a,b\n1,2\n", big)) == zero("1"));
  const std::string none(1, '\0');
  CHECK(refusal("a,b\n1,2" + none + "3\n") == zero("2"));
  CHECK(refusal("a,b\r\n1,\"2\r\n" + none + "\"\r\n") == zero("3"));
  CHECK(refusal("a" + none + ",b\n1,2\n") == zero("1"));
  CHECK(refusal("a,b\n1,2\n" + none) == zero("3"));
  CHECK(has(refusal("a,b\n", {.separator = '\0'}), "or a byte 0 as its .separator; give another character"));
}

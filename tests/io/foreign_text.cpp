// SPDX-License-Identifier: MIT
// Names that users and files choose, in everything that is written for other programs to read.
#include <doctest/doctest.h>

#include <sinter/core/cpp_name.hpp>
#include <sinter/core/json_text.hpp>
#include <sinter/core/utf8.hpp>
#include <sinter/core/xml_text.hpp>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>

#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {

using namespace std::string_literals;

const std::string bad_bytes[] = {"\xff",  "a\xc3",       "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                 "\x80z", "\xe2\x28\xa1"};
const std::string texts[] = {"",
                             "plain",
                             "\"quotes' and `ticks`\"",
                             "a\\b\\",
                             "two\nlines\r\n\tand tabs",
                             "*/ int injected = 1; /*",
                             "// not a comment",
                             "what?\?/\nnow",
                             "zero\0inside"s,
                             "\x01\x1f\x7f bell\a escape\x1b[31m",
                             "</text><script>alert(1)</script>",
                             "a & b; <c d=\"e\">",
                             "]]> <!-- -->",
                             "\xe2\x80\xae right to left \xe2\x80\xab\xe2\x81\xa6",
                             "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x99\x82",
                             "\xef\xbf\xbe\xef\xbf\xbf",
                             "${HOME} $(id) `id` %s%n",
                             std::string(10000, 'x'),
                             std::string(10000, '"')};

/// A text with U+FFFD for each byte that is none of a character.
std::string repaired(const std::string& text) {
  std::string good;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    good += length == 0 ? std::string(utf8_not_a_character) : text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return good;
}

/// Whether a text is free of what ends the contents and attributes of XML, and of what XML cannot have.
bool is_inside_xml(const std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const unsigned char c = static_cast<unsigned char>(text[at]);
    if (c == '<' || c == '>' || c == '"' || c == '\'' || (c < 0x20 && c != '\t' && c != '\n' && c != '\r'))
      return false;
    bool known = c != '&';
    for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})
      known = known || text.compare(at, std::string(entity).size(), entity) == 0;
    if (!known) return false;
  }
  return is_valid_utf8(text);
}

struct Both : Sequential<Inputs<Named<"*/\n\"?\?/", Input<2>>, Named<"\xe2\x80\xae", Input<2>>>, Linear<2>> {};
struct Stray : Sequential<Input<2>, Heads<Named<"a\xff", Path<Tanh>>, Path<Linear<2>>>> {};
struct Zero : Sequential<Inputs<Named<"a\0b", Input<2>>, Named<"c", Input<2>>>, Linear<2>> {};
struct Coloured : Inputs<Named<"\x1b[31m\n  0  Linear", Input<2>>, Named<"\xe2\x80\xae", Input<2>>> {};
struct Taken : Sequential<Coloured, Concat<Path<TakeInput<Coloured, 0>>, Path<TakeInput<Coloured, 1>>>> {};
struct Small : Sequential<Input<2>, Linear<2>> {};

}  // namespace

TEST_CASE("characters of UTF-8") {
  for (const std::string& text : texts) CHECK(repaired(text) == text);
  for (const std::string& text : bad_bytes) {
    CHECK(repaired(text) != text);
    CHECK(is_valid_utf8(repaired(text)));
  }
}

TEST_CASE("a string of JSON says the text, and holds nothing that ends it") {
  const auto check = [](const std::string& text) {
    const std::string quoted = json_string(text);
    JsonReader reader(quoted, "a test");
    CHECK(reader.string() == repaired(text));
    reader.end();
    for (const char c : quoted) CHECK(static_cast<unsigned char>(c) >= 0x20);
    CHECK(is_valid_utf8(quoted));
  };
  for (const std::string& text : texts) check(text);
  for (const std::string& text : bad_bytes) check("before " + text + "\" after");
}

TEST_CASE("the history of a training with any reason to stop is JSON") {
  for (const std::string& text : texts) {
    History history;
    history.stopped = text + "\xff";
    const std::string json = history.json_text();
    CHECK(is_valid_utf8(json));
    CHECK(has(json, json_string(history.stopped)));
  }
}

TEST_CASE("texts and colours of a chart stay inside their elements") {
  CHECK(xml_text("a<b & \"c\" 'd'\x01\xff") == "a&lt;b &amp; &quot;c&quot; &apos;d&apos;\xef\xbf\xbd\xef\xbf\xbd");
  const auto check = [](const std::string& text) {
    CHECK(is_inside_xml(xml_text(text)));
    Panel panel{.title = text, .curves = {{text, text, {{1, 2}, {2, 3}}}, {text, text, {{1, 2}}}}};
    panel.x_title = panel.y_title = text;
    std::string svg = Chart{text, {panel}}.svg_text();
    CHECK(is_valid_utf8(svg));
    for (std::size_t open = 0, close; (open = svg.find('<', open)) != svg.npos; open = close) {
      close = svg.find('>', open);
      REQUIRE(close != svg.npos);
      const std::string element = svg.substr(open, close - open);
      CHECK(std::count(element.begin(), element.end(), '"') % 2 == 0);
      const std::string name = element.substr(1, element.find_first_of(" />", 2) - 1);
      CHECK((name == "svg" || name == "text" || name == "rect" || name == "line" || name == "path" ||
             name == "circle" || name == "g" || name == "/svg" || name == "/text" || name == "/g"));
    }
  };
  for (const std::string& text : texts)
    if (text.size() < 100) check(text);
  for (const std::string& text : bad_bytes) check(text);
}

TEST_CASE("names of constants") {
  const Network<Small> net{{.seed = 1}};
  const auto refused = [&](const std::string& name) {
    return has(error_of([&] { header_text(net, {.name = name}); }),
               " was given as the name of a constant; give one of letters, digits and _ that C++ does not have");
  };
  for (const std::string& text : texts)
    if (text != "plain" && text != std::string(10000, 'x')) CHECK(refused(text));
  for (const std::string& text : bad_bytes) CHECK(refused(text));
  for (const char* name :
       {"class",  "int", "and",   "co_await", "requires", "true", "main",   "std", "sinter", "NULL", "EOF",     "errno",
        "stdout", "exp", "gamma", "index",    "y1",       "time", "signal", "_x",  "_X",     "a__b", "SINTER_X"})
    CHECK(refused(name));
  for (const char* name : {"INT_MAX", "uint8_t", "getline", "fd_set", "SIGINT", "M_PI", "M_PIf64x", "expf", "PATH_MAX"})
    CHECK(refused(name));
  for (const char* name : {"CHAR_BIT", "strdup", "typeof", "LC_ALL", "SIOCATMARK", "SYS_read", "f32xaddf64", "f64mul"})
    CHECK(refused(name));
  for (const char* name : {"f", "l", "INTMAX", "M_Pi", "expert", "model_f32"}) CHECK(!refused(name));
  for (const char* name : {"weights", "Class", "ints", "lenet_weights", "x", "a_b", "And", "sine", "Std", "sinter2"}) {
    CHECK(!refused(name));
    CHECK(has(header_text(net, {.name = name}), "> "s + name + "{{{"));
  }
}

TEST_CASE("names of the inputs and outputs of ONNX files") {
  const auto exported = [](const auto& net) {
    const std::string path = "foreign_text.onnx";
    export_onnx(net, path);
    const auto bytes = read_file(path);
    std::remove(path.c_str());
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const std::string file = exported(Network<Both>{{.seed = 1}});
  CHECK(has(file, "*/\n\"?\?/"));
  CHECK(has(file, "\xe2\x80\xae"));
  CHECK(error_of([&] { exported(Network<Stray>{{.seed = 1}}); }) ==
        "the name of output 0 is not text in UTF-8 without zeros, as ONNX has; give it another one");
  CHECK(error_of([&] { exported(Network<Zero>{{.seed = 1}}); }) ==
        "the name of input 0 is not text in UTF-8 without zeros, as ONNX has; give it another one");
}

TEST_CASE("classes in a weights file") {
  Network<Small> net{{.seed = 1}};
  for (const std::string& text : texts) {
    const Loaded loaded = load(net, save_bytes(net, {.classes = {text, "other"}}));
    CHECK(loaded.about.classes[0] == text);
  }
  CHECK(has(error_of([&] { save_bytes(net, {.classes = {"a\xff", "other"}}); }), "is not UTF-8; encode it as UTF-8"));
}

TEST_CASE("names of inputs do not reach a terminal as they are") {
  const std::string text = std::string(summary<Taken>()) + describe(Network<Taken>(), 1);
  CHECK(has(text, "  Input \\x1b[31m\\x0a  0  Linear "));
  CHECK(has(text, "  TakeInput \\x1b[31m\\x0a  0  Linear  2\n"));
  CHECK(has(text, "  Input \\u202e "));
  CHECK(has(text, ": TakeInput \\x1b[31m"));
  CHECK_FALSE(has(text, "\x1b"));
  CHECK_FALSE(has(text, "\xe2\x80\xae"));
}

TEST_CASE("names of a file's tensors do not reach a terminal as they are") {
  struct Net : Sequential<Input<2>, Linear<1>> {};
  std::string file = R"(        {"\u001b]0;a\u0007\nb":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  while (file.size() % 8 != 0) file += ' ';
  file[0] = static_cast<char>(file.size() - 8);
  file.replace(1, 7, 7, '\0');
  file.append(8, '\0');
  Network<Net> net;
  const std::string error = error_of([&] { load(net, std::as_bytes(std::span(file))); });
  CHECK(has(error, "\\x1b]0;a\\x07\\x0ab"));
  CHECK_FALSE(has(error, "\x1b"));
}

// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <utility>

#include "sinter/core/finite.hpp"
#include "sinter/core/json_text.hpp"
#include "sinter/io/about.hpp"
#include "sinter/version.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

template <class T>
std::string json_numbers(const T* values, std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += (i ? "," : "") + exact_text(values[i]);
  return text + "]";
}

template <class T>
std::string json_rows_of(const T* values, std::size_t rows, std::size_t columns) {
  std::string text = "[";
  for (std::size_t row = 0; row < rows; ++row) text += (row ? "," : "") + json_numbers(values + row * columns, columns);
  return text + "]";
}

SINTER_FUNCTION std::string json_rows(const float* values, std::size_t rows, std::size_t columns) {
  return json_rows_of(values, rows, columns);
}

SINTER_FUNCTION std::string json_rows(const double* values, std::size_t rows, std::size_t columns) {
  return json_rows_of(values, rows, columns);
}

/// A name as a string of JSON, which a reader gives back as it was.
SINTER_FUNCTION std::string json_name(const std::string& name) {
  if (!is_valid_utf8(name)) fail(joined({"the name ", json_string(name), " is not UTF-8; encode it as UTF-8"}));
  return json_string(name);
}

SINTER_FUNCTION std::string json_strings(const std::vector<std::string>& all) {
  std::string text = "[";
  for (const std::string& one : all) text += joined({text.size() > 1 ? "," : "", json_name(one)});
  return text + "]";
}

SINTER_FUNCTION Metadata metadata_of(const About& about, const std::string& self_test) {
  Metadata all;
  const auto add = [&](std::string_view key, std::string text) { all.emplace_back(key, std::move(text)); };
  add(key_of_pytorch, "pt");
  add(key_format, joined({weights_format}));
  add(key_version, joined({unsigned{SINTER_VERSION_MAJOR}, ".", unsigned{SINTER_VERSION_MINOR}, ".",
                           unsigned{SINTER_VERSION_PATCH}}));
  if (about.normalize) {
    about.normalize->check();
    add(key_normalize, joined({"{\"scale\":", exact_text(about.normalize->scale),
                               ",\"shift\":", exact_text(about.normalize->shift), "}"}));
  }
  if (about.columns)
    add(key_columns,
        joined({"{\"mean\":", json_numbers(about.columns->mean.data(), about.columns->mean.size()), ",\"deviation\":",
                json_numbers(about.columns->deviation.data(), about.columns->deviation.size()), "}"}));
  check_each_once("the class", about.classes, "");
  if (!about.classes.empty()) add(key_classes, json_strings(about.classes));
  if (!about.categories.empty()) {
    check_categories(about.categories);
    std::string columns;
    for (const Categories& one : about.categories)
      columns += joined({columns.empty() ? "" : ",", json_name(one.column), ":", json_strings(one.names)});
    add(key_categories, joined({"{", columns, "}"}));
  }
  if (!about.head_classes.empty()) {
    std::string heads;
    for (const HeadClasses& one : about.head_classes) {
      check_each_once("the class", one.names, joined({" of the head \"", one.head, "\""}));
      heads += joined({heads.empty() ? "" : ",", json_string(one.head), ":", json_strings(one.names)});
    }
    add(key_head_classes, joined({"{", heads, "}"}));
  }
  if (!self_test.empty()) add(key_self_test, self_test);
  for (const auto& [key, text] : about.metadata) {
    if (key.starts_with("sinter.") || key == key_of_pytorch)
      fail(joined({"metadata named \"", key, "\" was given; names that begin with sinter. and the name format are ",
                   "taken, choose another"}));
    add(key, text);
  }
  return all;
}

SINTER_FUNCTION Normalize read_normalize(JsonReader& json) {
  constexpr double most = std::numeric_limits<float>::max();
  Normalize normalize;
  int seen = 0;
  json.object([&](const std::string& name) {
    const int bit = name == "scale" ? 1 : name == "shift" ? 2 : 3;
    if (seen & bit || bit == 3) json.refuse("scale and shift");
    seen |= bit;
    const double number = json.number();
    if (!(number >= -most && number <= most)) json.refuse("a number that a float can hold");
    (bit == 1 ? normalize.scale : normalize.shift) = static_cast<float>(number);
  });
  if (seen != 3) json.refuse("scale and shift");
  if (!normalize.is_sound()) json.refuse("a scale other than 0");
  return normalize;
}

SINTER_FUNCTION NormalizeColumns read_columns(JsonReader& json) {
  NormalizeColumns columns;
  json.object([&](const std::string& name) {
    auto& numbers = name == "mean" ? columns.mean : columns.deviation;
    if ((name != "mean" && name != "deviation") || !numbers.empty()) json.refuse("mean and deviation");
    json.array([&] {
      numbers.push_back(json.number());
      if (name == "deviation" && !(numbers.back() > 0)) json.refuse("deviations above 0");
    });
  });
  if (columns.mean.empty() || columns.mean.size() != columns.deviation.size())
    json.refuse("as many means as deviations");
  return columns;
}

SINTER_FUNCTION std::vector<Categories> read_categories(JsonReader& json) {
  std::vector<Categories> all;
  json.object([&](const std::string& column) {
    for (const Categories& other : all)
      if (other.column == column) json.refuse("each column once");
    all.push_back({column, {}});
    json.array([&] { all.back().names.push_back(json.string()); });
    if (all.back().names.empty()) json.refuse("a name or more");
  });
  return all;
}

SINTER_FUNCTION std::vector<HeadClasses> read_head_classes(JsonReader& json) {
  std::vector<HeadClasses> all;
  json.object([&](const std::string& head) {
    all.push_back({head, {}});
    json.array([&] { all.back().names.push_back(json.string()); });
  });
  return all;
}

SINTER_FUNCTION SelfTest read_self_test(JsonReader& json) {
  SelfTest test;
  json.object([&](const std::string& name) {
    auto& rows = name == "inputs" ? test.inputs : test.outputs;
    if ((name != "inputs" && name != "outputs") || !rows.empty()) json.refuse("inputs and outputs");
    json.array([&] {
      rows.emplace_back();
      json.array([&] { rows.back().push_back(json.number()); });
    });
  });
  if (test.inputs.empty() || test.inputs.size() != test.outputs.size()) json.refuse("as many outputs as inputs");
  return test;
}

SINTER_FUNCTION FileFacts facts_of(const Metadata& metadata, std::string_view file) {
  const auto reader = [&](std::string_view key, std::string_view text) {
    return JsonReader(text, joined({"the metadata ", key, " of ", file}));
  };
  for (const auto& [key, text] : metadata) {
    if (key != key_format) continue;
    JsonReader json = reader(key, text);
    const auto format = json.whole_number();
    json.end();
    if (format != weights_format)
      fail(joined({file, " has sinter's format ", format, ", expected ", weights_format,
                   "; read it with the version of sinter that wrote it, or a newer one"}));
  }
  FileFacts facts;
  for (const auto& [key, text] : metadata) {
    JsonReader json = reader(key, text);
    if (key == key_version) {
      facts.version = text;
    } else if (key == key_normalize) {
      facts.about.normalize = read_normalize(json);
      json.end();
    } else if (key == key_columns) {
      facts.about.columns = read_columns(json);
      json.end();
    } else if (key == key_categories) {
      facts.about.categories = read_categories(json);
      json.end();
    } else if (key == key_classes) {
      json.array([&] { facts.about.classes.push_back(json.string()); });
      json.end();
    } else if (key == key_head_classes) {
      facts.about.head_classes = read_head_classes(json);
      json.end();
    } else if (key == key_self_test) {
      facts.self_test = read_self_test(json);
      json.end();
    } else if (key != key_of_pytorch && !key.starts_with("sinter.")) {
      facts.about.metadata.emplace_back(key, text);
    }
  }
  check_each_once("the class", facts.about.classes, joined({" in ", file}));
  for (const HeadClasses& one : facts.about.head_classes)
    check_each_once("the class", one.names, joined({" of the head \"", one.head, "\" in ", file}));
  for (const Categories& one : facts.about.categories)
    check_each_once("the category", one.names, joined({" of the column \"", one.column, "\" in ", file}));
  return facts;
}

}  // namespace detail

SINTER_NAMESPACE_END

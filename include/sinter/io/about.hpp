// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/core/json_text.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/categories.hpp"
#include "sinter/data/normalize.hpp"
#include "sinter/data/normalize_columns.hpp"
#include "sinter/io/json_reader.hpp"
#include "sinter/io/safetensors.hpp"
#include "sinter/version.hpp"

SINTER_NAMESPACE_BEGIN

/// What belongs to the data that a network was trained on, and travels with its weights.
struct About {
  std::optional<Normalize> normalize = {};  ///< how inputs are scaled
  std::vector<std::string> classes = {};    ///< a name for each output
  Metadata metadata = {};                   ///< texts of your own, by name
  std::optional<NormalizeColumns> columns =
      {};                                   ///< how each column or channel of the inputs is scaled, before `normalize`
  std::vector<Categories> categories = {};  ///< the words of columns of the inputs: {{"town", town.names}}

  /// The number that a word had in training. Fails, naming those that there are, where it had none.
  int category(std::string_view column, std::string_view word) const {
    return detail::number_of_category(categories, column, word);
  }
};

/// Some rows of inputs, as the first layer gets them, and what the network gave for them.
struct SelfTest {
  std::vector<std::vector<double>> inputs, outputs;
};

/// The contents of a file other than its tensors.
struct FileFacts {
  About about;
  std::string version;  ///< of sinter that wrote it; empty if something else did
  std::optional<SelfTest> self_test;
};

namespace detail {

/// Keys of the metadata. Theirs are JSON texts, so that any language reads them.
inline constexpr std::string_view key_format = "sinter.format", key_version = "sinter.version",
                                  key_normalize = "sinter.normalize", key_classes = "sinter.classes",
                                  key_columns = "sinter.normalize_columns", key_categories = "sinter.categories",
                                  key_self_test = "sinter.self_test", key_of_pytorch = "format";
inline constexpr unsigned weights_format = 1;

template <class T>
std::string json_numbers(const T* values, std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += (i ? "," : "") + exact_text(values[i]);
  return text + "]";
}
template <class T>
std::string json_rows(const T* values, std::size_t rows, std::size_t columns) {
  std::string text = "[";
  for (std::size_t row = 0; row < rows; ++row) text += (row ? "," : "") + json_numbers(values + row * columns, columns);
  return text + "]";
}

SINTER_COLD inline std::string json_strings(const std::vector<std::string>& all) {
  std::string text = "[";
  for (const std::string& one : all) text += joined({text.size() > 1 ? "," : "", json_string(one)});
  return text + "]";
}

/// The metadata of a file. `self_test` is JSON, or empty.
SINTER_COLD inline Metadata metadata_of(const About& about, const std::string& self_test) {
  Metadata all;
  const auto add = [&](std::string_view key, std::string text) { all.emplace_back(key, std::move(text)); };
  add(key_of_pytorch, "pt");
  add(key_format, joined({weights_format}));
  add(key_version, joined({unsigned{SINTER_VERSION_MAJOR}, ".", unsigned{SINTER_VERSION_MINOR}, ".",
                           unsigned{SINTER_VERSION_PATCH}}));
  if (about.normalize)
    add(key_normalize, joined({"{\"scale\":", exact_text(about.normalize->scale),
                               ",\"shift\":", exact_text(about.normalize->shift), "}"}));
  if (about.columns)
    add(key_columns,
        joined({"{\"mean\":", json_numbers(about.columns->mean.data(), about.columns->mean.size()), ",\"deviation\":",
                json_numbers(about.columns->deviation.data(), about.columns->deviation.size()), "}"}));
  if (!about.classes.empty()) add(key_classes, json_strings(about.classes));
  if (!about.categories.empty()) {
    check_categories(about.categories);
    std::string columns;
    for (const Categories& one : about.categories)
      columns += joined({columns.empty() ? "" : ",", json_string(one.column), ":", json_strings(one.names)});
    add(key_categories, joined({"{", columns, "}"}));
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

SINTER_COLD inline Normalize read_normalize(JsonReader& json) {
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
  return normalize;
}

SINTER_COLD inline NormalizeColumns read_columns(JsonReader& json) {
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

SINTER_COLD inline std::vector<Categories> read_categories(JsonReader& json) {
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

SINTER_COLD inline SelfTest read_self_test(JsonReader& json) {
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

/// What the metadata of a file says; fails where it is not what metadata_of writes.
SINTER_COLD inline FileFacts facts_of(const Metadata& metadata, std::string_view file) {
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
    } else if (key == key_self_test) {
      facts.self_test = read_self_test(json);
      json.end();
    } else if (key != key_of_pytorch && !key.starts_with("sinter.")) {
      facts.about.metadata.emplace_back(key, text);
    }
  }
  return facts;
}

}  // namespace detail

SINTER_NAMESPACE_END

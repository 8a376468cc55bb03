// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/categories.hpp"
#include "sinter/data/normalize.hpp"
#include "sinter/data/normalize_columns.hpp"
#include "sinter/io/head_classes.hpp"
#include "sinter/io/json_reader.hpp"
#include "sinter/io/safetensors.hpp"

SINTER_NAMESPACE_BEGIN

/// What a network needs to know of the data that it was trained on, stored with its weights.
struct About {
  std::optional<Normalize> normalize = {};  ///< how inputs are scaled
  std::vector<std::string> classes = {};    ///< a name for each output
  Metadata metadata = {};                   ///< texts of your own, by name
  std::optional<NormalizeColumns> columns =
      {};                                   ///< how each column or channel of the inputs is scaled, before `normalize`
  std::vector<Categories> categories = {};  ///< the words of columns of the inputs: {{"town", town.names}}
  std::vector<HeadClasses> head_classes = {};  ///< names for the classes of heads: {{"risk", {"low", "high"}}}

  /// The number that a word had in training. Fails, and lists the known words, if it had none.
  int category(std::string_view column, std::string_view word) const {
    return detail::number_of_category(categories, column, word);
  }
};

/// Some rows of inputs, as the first layer gets them, and the outputs of the network for them.
struct SelfTest {
  std::vector<std::vector<double>> inputs, outputs;
};

/// The contents of a file other than its tensors.
struct FileFacts {
  About about;
  std::string version;  ///< of the sinter that wrote it; empty if something else did
  std::optional<SelfTest> self_test;
};

namespace detail {

/// Keys of the metadata. Their values are JSON, so that any language can read them.
inline constexpr std::string_view key_format = "sinter.format", key_version = "sinter.version",
                                  key_normalize = "sinter.normalize", key_classes = "sinter.classes",
                                  key_columns = "sinter.normalize_columns", key_categories = "sinter.categories",
                                  key_head_classes = "sinter.head_classes", key_self_test = "sinter.self_test",
                                  key_of_pytorch = "format";
inline constexpr unsigned weights_format = 1;

/// Arrays of arrays.
SINTER_COLD std::string json_rows(const float* values, std::size_t rows, std::size_t columns);
SINTER_COLD std::string json_rows(const double* values, std::size_t rows, std::size_t columns);

SINTER_COLD std::string json_strings(const std::vector<std::string>& all);

/// The metadata of a file. `self_test` is JSON, or empty.
SINTER_COLD Metadata metadata_of(const About& about, const std::string& self_test);
SINTER_COLD Normalize read_normalize(JsonReader& json);
SINTER_COLD NormalizeColumns read_columns(JsonReader& json);
SINTER_COLD std::vector<Categories> read_categories(JsonReader& json);
SINTER_COLD std::vector<HeadClasses> read_head_classes(JsonReader& json);
SINTER_COLD SelfTest read_self_test(JsonReader& json);

/// Reads the metadata of a file; fails if it is not in the form that metadata_of writes.
SINTER_COLD FileFacts facts_of(const Metadata& metadata, std::string_view file);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/about.ipp"
#endif

// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "sinter/core/macros.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/file.hpp"
#include "sinter/io/pack.hpp"

SINTER_NAMESPACE_BEGIN

/// How export_header() writes weights.
struct HeaderOptions {
  std::string name = "weights";  ///< of the constant
  Storage storage = Storage::float32;
};

namespace detail {

/// A number as C++ spells it.
SINTER_COLD std::string literal(float x);
SINTER_COLD inline std::string literal(PanelFloat x) { return literal(x.value); }
template <std::integral Integer>
std::string literal(Integer x) {
  return std::to_string(x);
}

/// "{{1, 2, ..}}" in lines.
template <class Numbers>
SINTER_COLD std::string braced(const Numbers& numbers) {
  if (numbers.empty()) return "{}";
  std::string text = "{{";
  std::size_t line = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string number = literal(numbers[i]);
    if (i > 0) text += ',';
    if (i > 0 && text.size() - line + number.size() < 118) {
      text += ' ';
    } else {
      text += '\n';
      line = text.size();
    }
    text += number;
  }
  return text + "}}";
}

SINTER_COLD void check_name_of_constant(const std::string& name);

}  // namespace detail

/// The weights of a network as a C++ header with one constant, for View and Unpacked. It includes sinter/inference.hpp.
/// A compiler takes seconds for a million numbers: larger networks are better packed (save_packed) and mapped.
///
///     export_header(net, "lenet_weights.hpp", {.name = "lenet_weights"});
template <class ModelType, class Device, class Precision, class Model>
std::string header_text(const Network<ModelType, Device, Precision, Model>& net, const HeaderOptions& options = {}) {
  detail::check_name_of_constant(options.name);
  return detail::with_stored_parts(net, options.storage, [&]<class Number>(const detail::StoredParts<Number>& parts) {
    constexpr std::string_view type = std::is_same_v<Number, float>           ? "float"
                                      : std::is_same_v<Number, std::uint16_t> ? "std::uint16_t"
                                      : std::is_same_v<Number, std::int8_t>   ? "std::int8_t"
                                                                              : "sinter::PanelFloat";
    return joined({"// Made by sinter's export_header from a network of ",
                   static_cast<std::size_t>(Program<Model>::trained), " parameters, stored as ",
                   detail::name_of(options.storage),
                   ".\n#pragma once\n\n#include <cstdint>\n#include <sinter/inference.hpp>\n\ninline constexpr "
                   "sinter::Stored<",
                   type, ", ", fingerprint<Model>, "u, ", parts.numbers.size(), ", ", parts.floats.size(), "> ",
                   options.name, "{", detail::braced(parts.numbers), ", ", detail::braced(parts.floats), "};\n"});
  });
}

/// The same as a file, which is written whole or not at all.
template <class ModelType, class Device, class Precision, class Model>
void export_header(const Network<ModelType, Device, Precision, Model>& net, const std::string& path,
                   const HeaderOptions& options = {}) {
  write_file(path, header_text(net, options));
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::export_header;
using internal::HeaderOptions;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/io/export_header.ipp"
#endif

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/file.hpp"
#include "sinter/int8/fixed.hpp"
#include "sinter/int8/quantized_network.hpp"
#include "sinter/int8/stored.hpp"
#include "sinter/io/export_header.hpp"

SINTER_NAMESPACE_BEGIN

/// How export_header() writes a quantized network.
struct QuantizedHeaderOptions {
  std::string name = "weights";  ///< of the constant
  Normalize normalize{};         ///< of the inputs of the program, with a positive scale
};

namespace int8 {

/// Number n of all floats from -infinity to infinity.
inline float float_of(std::uint32_t n) { return std::bit_cast<float>(n < 0x80000000u ? ~n : n ^ 0x80000000u); }
/// What a program needs instead of sums in double: where they change.
inline InputTable input_table(const ScaledInput& of, const Normalize& normalize) {
  normalize.check();
  if (!(of.factor > 0 && of.fits_floats()))
    fail(joined({"export_header was given a normalize with scale ", exact_text(normalize.scale), " and shift ",
                 exact_text(normalize.shift),
                 "; give a positive scale, such as Normalize::pixels(mean, deviation), by which floats stay finite"}));
  InputTable table{{},
                   static_cast<float>(of.factor),
                   static_cast<float>(of.shift),
                   static_cast<std::int32_t>(of.low),
                   static_cast<std::int32_t>(of.high)};
  constexpr std::uint32_t lowest = 0x007fffffu, highest = 0xff800000u;  // the infinities
  std::uint32_t begin = lowest;
  for (std::int32_t q = table.low; q < table.high; ++q) {
    std::uint32_t below = begin, reached = highest;  // of(below) <= q < of(reached)
    while (reached - below > 1) {
      const std::uint32_t middle = below + (reached - below) / 2;
      (of(float_of(middle)) > q ? reached : below) = middle;
    }
    table.least[static_cast<std::size_t>(q)] = float_of(reached);
    begin = below;
  }
  return table;
}

inline std::string literal(float x) {
  return x == std::numeric_limits<float>::infinity() ? std::string("__builtin_inff()") : detail::literal(x);
}
inline std::string literal(std::int32_t n) { return std::to_string(n); }
inline std::string literal(const Quantization& q) {
  return joined({"{", literal(q.scale), ", ", literal(q.zero), "}"});
}
inline std::string literal(const OpNumbers& op) {
  const Rescale& r = op.rescale;
  return joined({"{{", literal(r.shift), ", ", literal(r.zero), ", ", literal(r.low), ", ", literal(r.high), "}, ",
                 literal(op.first), ", ", literal(op.second), "}"});
}
/// "{{a, b, ..}}", one in a line.
template <class All>
std::string lines_of(const All& all) {
  std::string text = "{{";
  for (std::size_t i = 0; i < all.size(); ++i) text += (i > 0 ? ",\n" : "\n") + literal(all[i]);
  return text + "}}";
}
inline std::string literal(const InputTable& table) {
  return joined({"{", lines_of(table.least), ", ", literal(table.factor), ", ", literal(table.shift), ", ",
                 literal(table.low), ", ", literal(table.high), "}"});
}

/// The constant that export_header() writes.
template <class Model>
StoredOf<Model> stored(const Weights<Model>& from, const Normalize& normalize) {
  StoredOf<Model> to{};
  std::copy_n(from.weights.data(), to.weights.size(), to.weights.begin());
  std::copy_n(from.numbers.data(), to.numbers.size(), to.numbers.begin());
  std::copy_n(from.tables.data(), to.tables.size(), to.tables.begin());
  to.ops = from.ops;
  for (std::size_t v = 0; v < to.values.size(); ++v) to.values[v] = from.of(static_cast<int>(v));
  to.inputs = input_table(from.input(normalize), normalize);
  return to;
}

}  // namespace int8

/// A quantized network as a C++ header with one constant, for QuantizedView. It includes sinter/int8/fixed.hpp.
///
///     export_header(quantized, "lenet_int8.hpp", {.name = "lenet_int8"});
template <class ModelType, class Isa, class Model>
std::string header_text(const QuantizedNetwork<ModelType, Isa, Model>& net,
                        const QuantizedHeaderOptions& options = {}) {
  detail::check_name_of_constant(options.name);
  const int8::StoredOf<Model> all = int8::stored(*net.data(), options.normalize);
  return joined(
      {"// Made by sinter's export_header from a quantized network of ",
       static_cast<std::size_t>(Program<Model>::trained),
       " parameters.\n#pragma once\n\n#include <cstdint>\n#include <sinter/int8/fixed.hpp>\n\ninline constexpr "
       "sinter::StoredQuantized<",
       fingerprint<Model>,
       "u, ",
       int8::layout_version,
       ", ",
       all.weights.size(),
       ", ",
       all.numbers.size(),
       ", ",
       all.tables.size(),
       ", ",
       all.ops.size(),
       ", ",
       all.values.size(),
       "> ",
       options.name,
       "{",
       detail::braced(all.weights),
       ", ",
       detail::braced(all.numbers),
       ", ",
       detail::braced(all.tables),
       ", ",
       int8::lines_of(all.ops),
       ", ",
       int8::lines_of(all.values),
       ", ",
       int8::literal(all.inputs),
       "};\n"});
}

/// The same as a file, which is written whole or not at all.
template <class ModelType, class Isa, class Model>
void export_header(const QuantizedNetwork<ModelType, Isa, Model>& net, const std::string& path,
                   const QuantizedHeaderOptions& options = {}) {
  write_file(path, header_text(net, options));
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::QuantizedHeaderOptions;
}  // namespace sinter

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/file.hpp"
#include "sinter/io/weights.hpp"
#include "sinter/network/network.hpp"
#include "sinter/network/packed.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The parts of stored weights, see Stored.
template <class Number>
struct StoredParts {
  std::vector<Number> numbers;
  std::vector<float> floats;
};

/// A row of a weight in bytes: w = scale q, with the largest |w| as 127.
SINTER_COLD float add_bytes(std::span<const float> row, std::vector<std::int8_t>& to);
SINTER_COLD void add_halves(std::span<const float> row, std::string_view name, std::vector<std::uint16_t>& to);

/// A network's array as Number; numbers that are not finite are refused.
template <class Model, class Number>
SINTER_COLD StoredParts<Number> stored_parts(const float* arena) {
  using Plan = StoragePlan<Model>;
  StoredParts<Number> parts;
  const auto add = [&](const Parameter& p) {
    const std::span<const float> all(arena + p.offset, static_cast<std::size_t>(p.size));
    if (!all_finite(all.data(), all.size()))
      fail(joined(
          {"the parameter ", p.name, " has numbers that are not finite; train again, or load weights that are whole"}));
    if (is_running_variance(p.name) && std::ranges::any_of(all, [](float x) { return x < 0; }))
      fail(joined({"the parameter ", p.name, " has a variance below 0; train again, or load weights that are whole"}));
    if constexpr (std::is_same_v<Number, PanelFloat>) {
      const auto matrix = Plan::matrix_of(p);
      const std::size_t begin = parts.numbers.size();
      parts.numbers.resize(begin + Plan::size_of(p, Storage::panels).numbers);
      for (int i = 0; i < p.size; ++i)
        parts.numbers[begin + static_cast<std::size_t>(matrix.place(i))] = all[static_cast<std::size_t>(i)];
    } else if (!Plan::in_fewer_bits(p)) {
      parts.floats.insert(parts.floats.end(), all.begin(), all.end());
    } else if constexpr (std::is_same_v<Number, std::int8_t>) {
      const std::size_t rows = static_cast<std::size_t>(p.shape[0]), columns = all.size() / rows;
      for (std::size_t row = 0; row < rows; ++row)
        parts.floats.push_back(add_bytes(all.subspan(row * columns, columns), parts.numbers));
    } else if constexpr (std::is_same_v<Number, std::uint16_t>) {
      add_halves(all, p.name, parts.numbers);
    }
  };
  for (const Parameter& p : Program<Model>::parameters) add(p);
  for (const Parameter& p : Program<Model>::buffers) add(p);
  if constexpr (std::is_same_v<Number, float>) parts = {{arena, arena + Program<Model>::storage_size}, {}};
  return parts;
}

/// f(parts) with a network's weights in a given storage.
template <class ModelType, class Device, class Precision, class Model, class F>
auto with_stored_parts(const Network<ModelType, Device, Precision, Model>& net, Storage storage, F&& f) {
  const auto& arena = net.to_host();
  const std::vector<float> values = [&] {
    std::vector<float> copy(arena.size());
    for (std::size_t i = 0; i < arena.size(); ++i) copy[i] = static_cast<float>(arena.data()[i]);
    return copy;
  }();
  if (storage == Storage::float32) return f(stored_parts<Model, float>(values.data()));
  if (storage == Storage::float16) return f(stored_parts<Model, std::uint16_t>(values.data()));
  if (storage == Storage::int8) return f(stored_parts<Model, std::int8_t>(values.data()));
  return f(stored_parts<Model, PanelFloat>(values.data()));
}

}  // namespace detail

/// The weights of a network in the order in which kernels read them, for View and Unpacked: floats are used in place,
/// in memory or in a file that is mapped, at an address that is a multiple of 4 (of 64 at best).
template <class ModelType, class Device, class Precision, class Model>
std::vector<std::byte> packed_bytes(const Network<ModelType, Device, Precision, Model>& net,
                                    Storage storage = Storage::float32) {
  return detail::with_stored_parts(net, storage, [&]<class Number>(const detail::StoredParts<Number>& parts) {
    detail::PackedHeader header{.fingerprint = fingerprint<Model>,
                                .storage = static_cast<std::uint64_t>(storage),
                                .numbers = parts.numbers.size(),
                                .floats = parts.floats.size()};
    const std::size_t numbers = parts.numbers.size() * sizeof(Number), floats = parts.floats.size() * sizeof(float),
                      floats_at = sizeof header + detail::whole_lines(numbers);
    std::vector<std::byte> bytes(floats_at + floats);
    std::memcpy(bytes.data(), &header, sizeof header);
    if (numbers) std::memcpy(bytes.data() + sizeof header, parts.numbers.data(), numbers);
    if (floats) std::memcpy(bytes.data() + floats_at, parts.floats.data(), floats);
    header.checksum = detail::packed_checksum(bytes);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
  });
}

/// The same as a file, which is written whole or not at all.
template <class ModelType, class Device, class Precision, class Model>
void save_packed(const Network<ModelType, Device, Precision, Model>& net, const std::string& path,
                 Storage storage = Storage::float32) {
  write_file(path, packed_bytes(net, storage));
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::packed_bytes;
using internal::save_packed;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/io/pack.ipp"
#endif

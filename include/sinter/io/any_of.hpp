// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "sinter/core/aligned.hpp"
#include "sinter/data/read_file.hpp"
#include "sinter/io/load.hpp"
#include "sinter/io/save.hpp"
#include "sinter/io/weights.hpp"
#include "sinter/network/any_of.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// Why a file does not fit a network; empty if it does.
template <class Net>
std::string misfit(const TensorFile& file, const std::string& name) {
  AlignedArray<typename Net::Scalar> values(static_cast<std::size_t>(Net::Ops::storage_size));
  using Model = typename Net::Model;
  const auto tensors = without_copies(file.tensors, names_again<Model>(), name);
  return take_tensors(tensors, tensors_on<Model>(values.data()), name).problem();
}
template <class... Nets, std::size_t... Index>
std::size_t fitting(std::index_sequence<Index...>, const AnyNetworkOf<Nets...>& any, const TensorFile& file,
                    const std::string& name) {
  using Any = AnyNetworkOf<Nets...>;
  using Look = std::string (*)(const TensorFile&, const std::string&);
  constexpr Look looks[] = {&misfit<typename Any::template At<Index>>...};
  // Networks of convolutions have the same tensors for inputs of any size: try those of the self-test's size first.
  if (const auto test = facts_of(file.metadata, name).self_test) {
    const auto fits = [&](std::size_t i) {
      return self_test_of_other_size(*test, static_cast<std::size_t>(Any::sizes[i].inputs)).empty() &&
             looks[i](file, name).empty();
    };
    if (fits(any.index())) return any.index();
    for (std::size_t i = 0; i < Any::count; ++i)
      if (fits(i)) return i;
  }
  if (looks[any.index()](file, name).empty()) return any.index();
  std::string problems;
  for (std::size_t i = 0; i < Any::count; ++i) {
    const std::string problem = looks[i](file, name);
    if (problem.empty()) return i;
    problems += joined({"\n  ", i, ": ", problem});
  }
  fail(joined(
      {name, " fits none of ", Any::count, " networks; add the one that it was saved from to the AnyOf:", problems}));
}
}  // namespace detail

namespace choices {
/// Chooses the network that the file was saved from, by the names and shapes of its tensors and the size of the inputs,
/// and loads it: the current one if it fits, else the first. (Networks that differ only in, say, activations have the
/// same tensors: choose among those beforehand.) With `partial` the current network takes what fits. If it fails, `any`
/// is unchanged.
template <class... Nets>
Loaded load(AnyNetworkOf<Nets...>& any, std::span<const std::byte> file, const LoadOptions& options = {},
            const std::string& name = "the safetensors data") {
  const auto load_into = [&](auto& net) { return load(net, file, options, name); };
  if (options.partial) return any.run(load_into);
  TensorFile from = parse_safetensors(file, name);
  if (options.checksum) detail::check_checksum_of_weights(from, name);
  if (!options.rename.empty()) from.tensors = detail::renamed(from.tensors, options.rename, name);
  const std::size_t index = detail::fitting(std::make_index_sequence<sizeof...(Nets)>{}, any, from, name);
  if (index == any.index()) return any.run(load_into);
  auto other = any.fresh(index);
  Loaded loaded = other.run(load_into);
  any = std::move(other);
  return loaded;
}
/// From a file.
template <class... Nets>
Loaded load(AnyNetworkOf<Nets...>& any, const std::string& path, const LoadOptions& options = {}) {
  return load(any, std::span<const std::byte>(read_file(path, "safetensors file")), options, path);
}
}  // namespace choices

SINTER_NAMESPACE_END

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/data/file.hpp"
#include "sinter/io/about.hpp"
#include "sinter/io/checksum.hpp"
#include "sinter/io/self_test.hpp"
#include "sinter/io/weights.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/network.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
struct PathLeftOut {};
template <class Net>
struct OptionsOfSave {
  using Type = About;
};
/// About, as the compiler shows it if a field is misspelt.
template <class Net>
using save_takes_normalize_classes_metadata_columns_categories_head_classes = typename OptionsOfSave<Net>::Type;
}  // namespace detail

/// The parameters of a network as a safetensors file in memory, with PyTorch's names and layouts, the facts about the
/// data, and a self-test: two rows of inputs, and the outputs of the network for them.
///
///     save_bytes(net, {.normalize = train.normalize(), .classes = {"cat", "dog"}})
///     save_bytes(net, {.columns = standardise(train)})
///
/// Fails if a weight is NaN or infinite, unless save_bytes(net, {}, {.allow_nan = true}) was meant.
template <detail::IsNetwork Net>
std::vector<std::byte> save_bytes(
    const Net& net,
    const detail::save_takes_normalize_classes_metadata_columns_categories_head_classes<Net>& about = {},
    const FileOptions& options = {}) {
  using Model = typename Net::Model;
  if (!about.classes.empty() && about.classes.size() != static_cast<std::size_t>(Net::output_size))
    fail(joined({"names of ", about.classes.size(), " classes were given for a network with ",
                 static_cast<std::size_t>(Net::output_size), " outputs; give one for each",
                 head_count<Model> > 0 ? ", or those of one head as .head_classes" : ""}));
  detail::check_head_classes_of<Model>(about.head_classes, "save was given");
  if (about.columns) about.columns->check(static_cast<std::size_t>(Model::InputRow::dims.channels));
  const auto& arena = net.to_host();
  const auto tensors = tensors_on<Model>(arena.data());
  if (!options.allow_nan) detail::refuse_wrong_numbers(tensors);
  return detail::bytes_with_checksum(tensors, detail::metadata_of(about, detail::make_self_test(net)));
}

/// The same as a file, also for the chosen network of an AnyOf. It is written whole or not at all: the old file at
/// `path` stays until the last byte is on the disk. PyTorch reads it by `safetensors.torch.load_file`.
template <class Net, class Path = detail::PathLeftOut, detail::IfNetworkIsMeant<Net, Path> = 0>
void save(const Net& net, const Path& path = {},
          const detail::save_takes_normalize_classes_metadata_columns_categories_head_classes<Net>& about = {},
          const FileOptions& options = {}) {
  constexpr bool any = detail::is_any_of_networks<Net>, network = detail::IsNetworkOrAnyOf<Net>,
                 text = std::is_convertible_v<const Path&, std::string>;
  static_assert(network || !detail::IsNetwork<Path>,
                "sinter: the network comes before the path: save(net, \"net.safetensors\")");
  static_assert(network || detail::IsNetwork<Path>, "sinter: save writes a Network: save(net, \"net.safetensors\")");
  static_assert(!network || text, "sinter: save takes the path of a file: save(net, \"net.safetensors\")");
  if constexpr (any && text)
    net.run([&](const auto& chosen) { save(chosen, path, about, options); });
  else if constexpr (network && text)
    write_file(path, save_bytes(net, about, options));
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::FileOptions;
using internal::save;
using internal::save_bytes;
}  // namespace sinter

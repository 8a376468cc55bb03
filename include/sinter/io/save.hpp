// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/data/file.hpp"
#include "sinter/io/about.hpp"
#include "sinter/io/safetensors.hpp"
#include "sinter/io/self_test.hpp"
#include "sinter/io/weights.hpp"
#include "sinter/network/network.hpp"

SINTER_NAMESPACE_BEGIN

/// The parameters of a network as a safetensors file in memory, by PyTorch's names and in its layouts, with what
/// belongs to the data and a self-test: two rows of inputs, and what the network gives for them.
///
///     save_bytes(net, {.normalize = train.normalize(), .classes = {"cat", "dog"}})
///     save_bytes(net, {.columns = standardise(train)})
template <class Model, class Device, class Precision>
std::vector<std::byte> save_bytes(const Network<Model, Device, Precision>& net, const About& about = {}) {
  using Net = Network<Model, Device, Precision>;
  if (!about.classes.empty() && about.classes.size() != static_cast<std::size_t>(Net::output_size))
    fail(joined({"names of ", about.classes.size(), " classes were given for a network with ",
                 static_cast<std::size_t>(Net::output_size), " outputs; give one for each"}));
  if (about.columns) about.columns->check(static_cast<std::size_t>(Model::InputRow::dims.channels));
  const auto& arena = net.to_host();
  return safetensors_bytes(tensors_on<Model>(arena.data()), detail::metadata_of(about, detail::make_self_test(net)));
}

/// The same as a file, which is written whole or not at all: until its last byte is on the disk, what was at `path`
/// stays there. PyTorch reads it by `safetensors.torch.load_file`.
template <class Model, class Device, class Precision>
void save(const Network<Model, Device, Precision>& net, const std::string& path, const About& about = {}) {
  write_file(path, save_bytes(net, about));
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::save;
using internal::save_bytes;
}  // namespace sinter

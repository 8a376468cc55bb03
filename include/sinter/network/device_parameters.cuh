// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/device/cuda_array.cuh"
#include "sinter/network/network.hpp"
#include "sinter/network/parameter_names.hpp"

SINTER_NAMESPACE_BEGIN

/// Numbers in the memory of a GPU, for kernels of your own and for Thrust: thrust::fill(thrust::device, begin(), end(),
/// 0).
template <class T>
struct DeviceSpan {
  using Space = CudaMemory;
  T* address = nullptr;
  std::size_t count = 0;

  T* data() const { return address; }
  std::size_t size() const { return count; }
  T* begin() const { return address; }
  T* end() const { return address + count; }
};

/// A trained tensor of a network by PyTorch's name ("0.weight"), with its gradient, in the memory of the GPU.
template <class T>
struct DeviceParameter {
  std::string name;
  DeviceSpan<T> value, gradient;
  std::vector<int> shape;
};

/// The parameters of a network, valid until it is assigned to. Work with them must be on the network's stream.
template <class Net>
std::vector<DeviceParameter<typename Net::Scalar>> device_parameters(Net& net) {
  static_assert(!Net::on_host, "sinter: the parameters of this network are in the memory of the host: parameters()");
  using T = typename Net::Scalar;
  std::vector<DeviceParameter<T>> all;
  for (const Parameter& p : Net::Ops::parameters) {
    const auto part = [&](T* arena) { return DeviceSpan<T>{arena + p.offset, static_cast<std::size_t>(p.size)}; };
    all.push_back({std::string(p.name),
                   part(net.data()),
                   part(net.gradient().data()),
                   {p.shape.begin(), p.shape.begin() + p.rank}});
  }
  return all;
}
/// The one of that name, or the only one of a layer; the error lists the existing ones.
template <class Net>
DeviceParameter<typename Net::Scalar> device_parameter(Net& net, const detail::ParameterPlace& place) {
  return device_parameters(net)[Net::index_of(place)];
}

/// A buffer of a network, by PyTorch's name ("1.running_mean"), in the memory of the GPU.
template <class T>
struct DeviceBuffer {
  std::string name;
  DeviceSpan<T> value;
  std::vector<int> shape;
};

/// The buffers of a network, as device_parameters. A step that is not finite leaves them unchanged.
template <class Net>
std::vector<DeviceBuffer<typename Net::Scalar>> device_buffers(Net& net) {
  static_assert(!Net::on_host, "sinter: the buffers of this network are in the memory of the host");
  using T = typename Net::Scalar;
  std::vector<DeviceBuffer<T>> all;
  for (const Parameter& p : Net::Ops::buffers)
    all.push_back({std::string(p.name),
                   {net.data() + p.offset, static_cast<std::size_t>(p.size)},
                   {p.shape.begin(), p.shape.begin() + p.rank}});
  return all;
}
/// The one of that name; the error lists the existing ones.
template <class Net>
DeviceBuffer<typename Net::Scalar> device_buffer(Net& net, const std::string& name) {
  std::string known;
  for (DeviceBuffer<typename Net::Scalar>& buffer : device_buffers(net)) {
    if (buffer.name == name) return std::move(buffer);
    known += (known.empty() ? "; this network has " : ", ") + buffer.name;
  }
  fail("there is no buffer \"" + name + "\"" + (known.empty() ? "; this network has none" : known));
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::device_buffer;
using internal::device_buffers;
using internal::device_parameter;
using internal::device_parameters;
}  // namespace sinter

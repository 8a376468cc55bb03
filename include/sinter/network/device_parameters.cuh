// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sinter/device/cuda_array.cuh"
#include "sinter/network/network.hpp"

SINTER_NAMESPACE_BEGIN

/// Numbers in the memory of a GPU, for kernels of your own and for Thrust: thrust::fill(thrust::device, begin(), end(), 0).
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

/// Those of a network, good until it is assigned to. What is done with them goes on the network's stream.
template <class Net>
std::vector<DeviceParameter<typename Net::Scalar>> device_parameters(Net& net) {
  static_assert(!Net::on_host, "sinter: the parameters of this network lie in the memory of the host: parameters()");
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
/// The one of that name; an error names those that there are.
template <class Net>
DeviceParameter<typename Net::Scalar> device_parameter(Net& net, const std::string& name) {
  return device_parameters(net)[Net::index_of(name)];
}

SINTER_NAMESPACE_END

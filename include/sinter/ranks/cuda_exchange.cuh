// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "sinter/device/cuda.cuh"
#include "sinter/ranks/communicator.hpp"

SINTER_NAMESPACE_BEGIN

/// A Communicator that also moves bytes from the memory of one rank's GPU to that of another: Nccl.
class CudaCommunicator : public Communicator {
 public:
  /// As exchange(), of device memory: it returns at once, and what is moved is ordered with the stream of `device`. All
  /// pieces have at least one byte.
  virtual void exchange_on(const Cuda& device, std::span<const Outgoing> out, std::span<const Incoming> in) = 0;
};

namespace detail {

/// Pieces of device memory that are collected to be exchanged together: through the memory of the host, unless the
/// Communicator is a CudaCommunicator.
class CudaExchange {
 public:
  CudaExchange(Communicator& world, const Cuda& device)
      : world_(world), direct_(dynamic_cast<CudaCommunicator*>(&world)), device_(device) {}

  template <class T>
  void send(int to, const T* numbers, std::size_t count) {
    if (count > 0) out_.push_back({to, std::as_bytes(std::span(numbers, count))});
  }
  template <class T>
  void receive(int from, T* numbers, std::size_t count) {
    if (count > 0) in_.push_back({from, std::as_writable_bytes(std::span(numbers, count))});
  }
  /// Sends numbers of `owner` to all others, to the same place.
  template <class T>
  void share(int owner, T* numbers, std::size_t count) {
    if (owner != world_.rank()) return receive(owner, numbers, count);
    for (int to = 0; to < world_.size(); ++to)
      if (to != owner) send(to, numbers, count);
  }
  void run() {
    if (direct_ != nullptr)
      direct_->exchange_on(device_, out_, in_);
    else
      run_over_host();
    out_.clear();
    in_.clear();
  }

 private:
  void run_over_host() {
    std::size_t bytes = 0;
    for (const auto& piece : out_) bytes += piece.bytes.size();
    for (const auto& piece : in_) bytes += piece.bytes.size();
    host_.resize(bytes);  // before any address in it is taken
    std::vector<Communicator::Outgoing> out;
    std::vector<Communicator::Incoming> in;
    std::byte* place = host_.data();
    for (const auto& piece : out_) {
      const auto same = std::find_if(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(out.size()),
                                     [&](const auto& other) { return other.bytes.data() == piece.bytes.data(); });
      if (const auto before = static_cast<std::size_t>(same - out_.begin());
          before < out.size() && same->bytes.size() == piece.bytes.size()) {  // the same bytes to several ranks
        out.push_back({piece.to, out[before].bytes});
        continue;
      }
      copy(place, piece.bytes.data(), piece.bytes.size(), cudaMemcpyDeviceToHost);
      out.push_back({piece.to, {place, piece.bytes.size()}});
      place += piece.bytes.size();
    }
    for (const auto& piece : in_) {
      in.push_back({piece.from, {place, piece.bytes.size()}});
      place += piece.bytes.size();
    }
    cuda_check(cudaStreamSynchronize(device_.stream), "waiting for a copy from a CUDA device");
    world_.exchange(out, in);
    for (std::size_t i = 0; i < in.size(); ++i)
      copy(in_[i].bytes.data(), in[i].bytes.data(), in[i].bytes.size(), cudaMemcpyHostToDevice);
    // The host's memory is written to again by the next exchange.
    cuda_check(cudaStreamSynchronize(device_.stream), "waiting for a copy to a CUDA device");
  }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes, cudaMemcpyKind kind) const {
    cuda_check(cudaMemcpyAsync(to, from, bytes, kind, device_.stream), "copying what ranks exchange");
  }

  Communicator& world_;
  CudaCommunicator* direct_;
  Cuda device_;
  std::vector<Communicator::Outgoing> out_;
  std::vector<Communicator::Incoming> in_;
  std::vector<std::byte> host_;
};

}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::CudaCommunicator;
}  // namespace sinter

// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/device/cuda.cuh"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/cuda_exchange.cuh"

SINTER_NAMESPACE_BEGIN

/// The ranks of another Communicator, each with a GPU of its own, between whose memories NCCL moves bytes:
///
///     Mpi world(count, values);
///     Nccl gpus(world, Cuda{.device = world.rank() % static_cast<int>(cuda_devices().size())});
///     Network<LeNet, Ranks<Cuda>> net{{gpus, gpus.device()}, {.seed = 1}};
///
/// `world` moves what is in the memory of the host, and must outlive it. All ranks make one.
class Nccl : public CudaCommunicator {
 public:
  explicit Nccl(Communicator& world, Cuda device = {}) : world_(world), device_(device) { join(); }
  ~Nccl() override {
    if (ranks_ == nullptr) return;
    const CurrentCudaDevice current(device_.device, std::nothrow);
    if (std::uncaught_exceptions() > exceptions_)
      ncclCommAbort(ranks_);  // another rank may never come to what was begun with it
    else
      ncclCommDestroy(ranks_);
  }

  int rank() const override { return world_.rank(); }
  int size() const override { return world_.size(); }
  std::unique_ptr<SharedCounter> counter() override { return world_.counter(); }
  /// The GPU of this rank.
  const Cuda& device() const { return device_; }

  void exchange_on(const Cuda& device, std::span<const Outgoing> out, std::span<const Incoming> in) override {
    if (ranks_ == nullptr || (out.empty() && in.empty())) return;
    if (device.device != device_.device)
      fail("a network on CUDA device " + std::to_string(device.device) + " was given ranks of NCCL on device " +
           std::to_string(device_.device) + "; give it theirs: Ranks<Cuda>{gpus, gpus.device()}");
    const CurrentCudaDevice current(device_.device);
    ncclResult_t before = ncclSuccess;
    check(ncclCommGetAsyncError(ranks_, &before), "ask for errors");
    check(before, "do what it was given before");
    check(ncclGroupStart(), "begin a group");
    ncclResult_t first = ncclSuccess;
    const auto note = [&first](ncclResult_t code) { first = first == ncclSuccess ? code : first; };
    for (const Outgoing& piece : out)
      note(ncclSend(piece.bytes.data(), piece.bytes.size(), ncclUint8, piece.to, ranks_, device.stream));
    for (const Incoming& piece : in)
      note(ncclRecv(piece.bytes.data(), piece.bytes.size(), ncclUint8, piece.from, ranks_, device.stream));
    note(ncclGroupEnd());
    check(first, "send and receive");
  }

 protected:
  void move(std::span<const Outgoing> out, std::span<const Incoming> in) override { world_.exchange(out, in); }
  std::unique_ptr<Communicator> part(const std::vector<int>&, int color, int place) override {
    return std::unique_ptr<Nccl>(new Nccl(world_.split(color, place), device_));
  }

 private:
  Nccl(std::unique_ptr<Communicator> own, Cuda device) : own_(std::move(own)), world_(*own_), device_(device) {
    join();
  }

  /// Rank 0 makes an id of the ranks, which `world_` hands to the others.
  void join() {
    check_cuda_device(device_);
    if (world_.size() == 1) return;
    const CurrentCudaDevice current(device_.device);
    struct Id {  // nvcc 13.0 cannot compile a vector of structs without a name
      ncclUniqueId nccl;
    } own{};
    if (world_.rank() == 0) check(ncclGetUniqueId(&own.nccl), "make an id");
    const ncclUniqueId id = detail::gather(world_, own)[0].nccl;
    check(ncclCommInitRank(&ranks_, world_.size(), id, world_.rank()),
          "connect the GPUs, of which each rank needs its own");
  }
  void check(ncclResult_t code, const char* doing) const {
    if (code == ncclSuccess) return;
    const char* const more = ncclGetLastError(ranks_);
    fail(std::string("NCCL was to ") + doing + ", and failed: " + ncclGetErrorString(code) +
         (more != nullptr && *more != '\0' ? std::string(" (") + more + ")" : std::string()) +
         "; run the program with NCCL_DEBUG=INFO, and NCCL says more");
  }

  std::unique_ptr<Communicator> own_;  // of a split
  Communicator& world_;
  Cuda device_;
  ncclComm_t ranks_ = nullptr;
  int exceptions_ = std::uncaught_exceptions();
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Nccl;
}  // namespace sinter

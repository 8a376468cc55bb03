// SPDX-License-Identifier: MIT
// labels: cuda nccl large
#include "sinter/nccl.cuh"

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "ranks/conformance.hpp"
#include "ranks/cuda_same_bits.hpp"
#include "support/error_of.hpp"
#include "support/fake_nccl/fake_nccl.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using namespace sinter_test::on_gpus;

namespace {

/// What was sent was received, and all communicators are gone.
struct FreshNccl {
  FreshNccl() { fake_nccl::reset(); }
  FreshNccl(const FreshNccl&) = delete;
  ~FreshNccl() {
    const auto counters = fake_nccl::counters();
    CHECK(counters.sends == counters.receives);
    CHECK(counters.unanswered == 0);
    CHECK(counters.live_communicators == 0);
    fake_nccl::reset();
  }
};
struct OverNccl {
  OverNccl(Communicator& given, const Cuda& device) : world(given, device) {}
  Nccl world;
};
void set_devices(int count) { fake_cuda::set_devices(std::vector<fake_cuda::Device>(static_cast<std::size_t>(count))); }

}  // namespace

TEST_CASE("GPUs that exchange numbers by NCCL train to the bits of one") {
  const FreshNccl fresh;
  check_same_bits<Convolutional, OverNccl>(trained(75, 32, 5, NLLLoss{}, SGD{.lr = 0.05, .momentum = 0.9}));
  check_same_bits<Perceptron, OverNccl>(trained(9, 5, 3, CrossEntropyLoss{}, Adam{.lr = 0.01}), {2, 5});
  CHECK(fake_nccl::counters().sends > 0);
}

TEST_CASE("Gradients do not pass the memory of the host") {
  const FreshCuda fresh;
  const FreshNccl fresh_nccl;
  set_devices(2);
  const auto x = inputs<Convolutional::InputRow>(64);
  const auto labels = labels_for(64, 5);
  std::mutex mutex;
  std::size_t most = 0;
  Threads(2).run([&](Communicator& world) {
    Nccl gpus(world, Cuda{.device = world.rank()});
    Network<Convolutional, Ranks<Cuda>> net{{gpus, gpus.device()}, {.seed = 7}};
    fit(net, dataset(x, labels), NLLLoss{}, SGD{.lr = 0.05}, {.batch_size = 32, .epochs = 8});
    const std::lock_guard lock(mutex);
    most = std::max(most, static_cast<std::size_t>(world.sent_bytes()));
  });
  CHECK(most < 1024);  // the id, and what all ranks have in common
  // 16 steps, each with two groups on each rank.
  const auto counters = fake_nccl::counters();
  CHECK(counters.groups == 2 * 2 * 16);
  // 32 slots: a rank sends half of its 16 to the other one, with their losses and flags; then its half of the sum.
  const std::size_t numbers = static_cast<std::size_t>(Program<Convolutional>::arena_size);
  CHECK(counters.bytes >= 16 * (16 * numbers * sizeof(float) + 32 * (sizeof(double) + 4) + numbers * sizeof(float)));
  CHECK(counters.bytes < 16 * (17 * numbers * sizeof(float) + 16384));
}

TEST_CASE("Ranks of NCCL conform to those that they are made of") {
  const FreshCuda fresh;
  const FreshNccl fresh_nccl;
  for (const int ranks : {1, 2, 5}) {
    set_devices(ranks);
    Threads(ranks).run([&](Communicator& world) {
      Nccl gpus(world, Cuda{.device = world.rank()});
      check_conformance(gpus);
    });
  }
}

TEST_CASE("Bytes of one GPU reach another, in their order, and those of a split") {
  const FreshCuda fresh;
  const FreshNccl fresh_nccl;
  set_devices(4);
  std::mutex mutex;
  int right = 0;
  Threads(4).run([&](Communicator& world) {
    Nccl all(world, Cuda{.device = world.rank()});
    const auto pair = all.split(world.rank() / 2);
    const int other = 1 - pair->rank();
    CudaArray<int> there(all.device(), 4);
    const int own[] = {10 * world.rank(), 10 * world.rank() + 1, -1, -1};
    there.upload(own, 4);
    sinter::internal::detail::CudaExchange exchange(*pair, all.device());
    exchange.send(other, there.data(), 1);
    exchange.send(other, there.data() + 1, 1);
    exchange.receive(other, there.data() + 2, 1);
    exchange.receive(other, there.data() + 3, 1);
    exchange.run();
    int got[4];
    there.download(got, 4);
    const int theirs = 10 * (world.rank() ^ 1);
    const std::lock_guard lock(mutex);
    right += got[2] == theirs && got[3] == theirs + 1;
  });
  CHECK(right == 4);
  CHECK(fake_nccl::counters().groups == 4);
}

TEST_CASE("What NCCL refuses is said in words, on all ranks") {
  const FreshCuda fresh;
  set_devices(2);
  const auto error = [](auto&& use) {
    const std::string text = error_of([&] { Threads(2, std::chrono::seconds(20)).run(use); });
    fake_nccl::reset();
    return text;
  };
  CHECK(has(error([](Communicator& world) { Nccl(world, Cuda{.device = 0}); }),
            "NCCL was to connect the GPUs, of which each rank needs its own, and failed: invalid usage (Duplicate GPU "
            "detected); run the program with NCCL_DEBUG=INFO"));
  CHECK(has(error([](Communicator& world) { Nccl(world, Cuda{.device = 1 + world.rank()}); }),
            "CUDA device 2 was asked for, and there are 2"));
  fake_nccl::fail_next("ncclGetUniqueId", ncclSystemError);
  CHECK(has(error([](Communicator& world) { Nccl(world, Cuda{.device = world.rank()}); }),
            "rank 0 of 2 failed: NCCL was to make an id, and failed: an error (the test wanted it)"));
  const auto labels = labels_for(8, 3);
  const auto x = inputs<Perceptron::InputRow>(8);
  const auto train = [&](Communicator& world) {
    Nccl gpus(world, Cuda{.device = world.rank()});
    Network<Perceptron, Ranks<Cuda>> net{{gpus, Cuda{.device = world.rank()}}};
    Trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}}.step(x, labels);
  };
  for (const char* function : {"ncclGroupEnd", "ncclSend", "ncclRecv"}) {
    fake_nccl::fail_next(function, ncclSystemError, function[4] == 'G' ? 0 : 1);
    CHECK(has(error(train), "NCCL was to send and receive, and failed: "));
  }
  fake_nccl::fail_next("an asynchronous error", ncclRemoteError);
  CHECK(has(error(train), "NCCL was to do what it was given before, and failed"));
  CHECK(has(error([&](Communicator& world) {
              Nccl gpus(world, Cuda{.device = world.rank()});
              Network<Perceptron, Ranks<Cuda>> net{{gpus, Cuda{.device = 1 - world.rank()}}};
              Trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}}.step(x, labels);
            }),
            "was given ranks of NCCL on device"));
}

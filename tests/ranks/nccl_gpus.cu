// SPDX-License-Identifier: MIT
// Trains on all GPUs of this machine, ranks of NCCL, and compares the bits with those of one GPU. Without a GPU it says
// which NCCL it is linked with.
#include <nccl.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include "sinter/nccl.cuh"

using namespace sinter;

namespace {

struct Net : Sequential<Input<2>, Linear<16>, Tanh, Linear<2>> {};

template <class Trained>
std::vector<float> copied_weights(const Trained& net) {
  const auto& weights = net.to_host();
  return {weights.data(), weights.data() + weights.size()};
}

// [train]
std::vector<float> train(Communicator& world) {
  Nccl gpus(world, Cuda{.device = world.rank()});  // on one machine; with several, the rank's number on its own
  Network<Net, Ranks<Cuda>> net{{gpus, gpus.device()}, {.seed = 1}};
  fit(net, disc(400, 1), CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 64, .epochs = 3});
  return copied_weights(net);
}
// [/train]

std::vector<float> train_on_one() {
  Network<Net, CudaWith<CudaPlan::pair>> net{{.seed = 1}};
  fit(net, disc(400, 1), CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 64, .epochs = 3});
  return copied_weights(net);
}

}  // namespace

int main() {
  int version = 0;
  if (ncclGetVersion(&version) != ncclSuccess) return 1;
  const int count = static_cast<int>(cuda_devices().size());
  std::printf("NCCL %d, %d GPUs\n", version, count);
  if (count == 0) return 77;
  const std::vector<float> expected = train_on_one();
  std::vector<char> same(static_cast<std::size_t>(count));
  Threads(count).run([&](Communicator& world) {
    const std::vector<float> own = train(world);
    same[static_cast<std::size_t>(world.rank())] =
        own.size() == expected.size() && std::memcmp(own.data(), expected.data(), own.size() * sizeof(float)) == 0;
  });
  for (const char one : same)
    if (!one) return 1;
  return 0;
}

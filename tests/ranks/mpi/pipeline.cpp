// SPDX-License-Identifier: MIT
// A network whose stages, or whose columns, are in different processes: the first argument says what, the second a file
// for its weights.
#include <sinter/mpi.hpp>
#include <sinter/sinter.hpp>

#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <new>
#include <sinter/io.hpp>
#include <string>
#include <type_traits>
#include <vector>

using namespace sinter;

namespace {

struct Net : Sequential<Input<1, 8, 8>, Conv2d<6, 3>, BatchNorm2d<>, ReLU, Flatten, Linear<40>, Dropout<0.2>, Tanh,
                        Linear<4>> {};
struct Texts : Sequential<Input<6>, Embedding<50, 11>, Flatten, Linear<40>, ReLU, Linear<4>> {};
/// 9 million weights: 36 MB, in training by Adam 144 MB and more.
struct Large : Sequential<Input<1500>, Linear<1500>, ReLU, Linear<1500>, ReLU, Linear<1500>, ReLU, Linear<1500>> {};

template <class Net>
History train(Net& net, std::size_t rows, std::size_t batch_size, int epochs, auto&&... callbacks) {
  Tensor<float, typename Net::InputRow> x(rows);
  for (std::size_t i = 0; i < x.values().size(); ++i) x.data()[i] = static_cast<float>(i * 2654435761u % 1000) / 1000;
  if constexpr (std::is_base_of_v<Texts, typename Net::Model>)
    for (float& v : x.values()) v = std::floor(50 * v);
  std::vector<int> labels;
  for (std::size_t i = 0; i < rows; ++i) labels.push_back(static_cast<int>(i * 7 % 4));
  return fit(net, dataset(x, labels), CrossEntropyLoss{}, Adam{.lr = 0.01},
             {.batch_size = batch_size, .epochs = epochs}, callbacks...);
}

/// Lets this process allocate so many bytes more.
void limit_memory(rlim_t more) {
  std::ifstream status("/proc/self/statm");
  rlim_t total = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  status >> total >> resident >> shared >> text >> library >> data;
  const rlim_t most = data * 4096 + more;
  const rlimit limit{most, most};
  if (setrlimit(RLIMIT_DATA, &limit) != 0) internal::fail("the limit on memory could not be set");
}

template <class Device>
void try_in_little_memory(Communicator& world) {
  limit_memory(rlim_t{110} << 20);
  try {
    Network<Large, Device> net{{world}, {.seed = 5}};
    const History history = train(net, 8, 8, 2);
    if (history.stopped.empty() && world.rank() == 0) std::printf("trained by %d processes\n", world.size());
  } catch (const std::bad_alloc&) {
    std::printf("no memory\n");
  }
}

void run(Communicator& world, const std::string& what, const std::string& path) {
  if (what == "memory") return try_in_little_memory<Pipeline<At<2, 4, 6>>>(world);
  if (what == "memory_columns") return try_in_little_memory<ColumnParallel<At<0, 2, 4, 6>, 4>>(world);
  if (what == "columns") {
    Network<Texts, ColumnParallel<At<0, 2>, 3>> net{{world}, {.seed = 5}};
    train(net, 90, 40, 3);
    const Network<Texts> whole = net;
    if (world.rank() == 0) save(whole, path);
    return;
  }
  if (what == "undivided") {
    Network<Texts> net{{.seed = 5}};
    train(net, 90, 40, 3);
    return save(net, path);
  }
  Network<Net, Pipeline<At<3, 7>>> net{{world}, {.seed = 5}};
  const bool half = what == "half";
  train(net, 90, 40, half ? 2 : 5, Checkpoint{.path = path + ".checkpoint", .every = 2, .resume = what == "resume"});
  const Network<Net> whole = net;
  if (world.rank() == 0 && !half) save(whole, path);
}

}  // namespace

int main(int count, char** values) {
  Mpi world(count, values);
  run(world, values[1], values[2]);
}

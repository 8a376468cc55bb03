// SPDX-License-Identifier: MIT
// labels: cuda large gpu
#include "ranks/cuda_same_bits.hpp"

#include <cstddef>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "support/error_of.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using namespace sinter_test::on_gpus;

namespace {

struct TwoHeads : Sequential<Input<6>, Linear<12>, ReLU, Heads<Path<Linear<3>>, Path<Linear<2>>>> {};
struct Wide : Sequential<Input<5>, Linear<5000>, ReLU, Linear<3>> {};
static_assert(!sinter::internal::carries_states<Network<TwoHeads, Ranks<Cuda>>::Engine>);
// Slots of one tile or of two, so that a rank's slots do not begin at equal distances.
using ChooseWide = gpu_kernels::Choose<Wide, float, 0, CudaPlan::pair>;
static_assert(ChooseWide::pair_cut(1000, ChooseWide::most_shared).tiles > 128 &&
              ChooseWide::pair_cut(1000, ChooseWide::most_shared).tiles % 128 != 0);

}  // namespace

TEST_CASE("A convolutional network trains to the bits of one GPU on any number of GPUs") {
  check_same_bits<Convolutional>(trained(75, 32, 5, NLLLoss{}, SGD{.lr = 0.05, .momentum = 0.9}), {1, 2, 3, 4, 7});
}

TEST_CASE("So does a perceptron by Adam, in double, and where some ranks have no rows") {
  check_same_bits<Perceptron>(trained(50, 20, 3, CrossEntropyLoss{}, Adam{.lr = 0.01}));
  check_same_bits<Perceptron, OverHost, Float64>(trained(50, 20, 3, CrossEntropyLoss{}, Adam{.lr = 0.01}), {3});
  check_same_bits<Perceptron>(trained(9, 5, 3, CrossEntropyLoss{}, Adam{.lr = 0.01}), {2, 5, 8});
}

TEST_CASE("So do slots of several tiles") {
  check_same_bits<Wide>(
      [](auto& net) {
        const auto x = inputs<Shape<5>>(1000);
        const auto labels = labels_for(1000, 3);
        Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
        return std::vector<double>{trainer.step(x, labels)};
      },
      {3});
}

TEST_CASE("So do losses of several heads") {
  check_same_bits<TwoHeads>([](auto& net) {
    const auto x = inputs<Shape<6>>(60);
    auto wanted = inputs<Shape<3>>(60, 1, 7);
    for (std::size_t i = 0; i < 60; ++i) wanted(i, 0) = static_cast<float>(i * 7 % 3);
    const History history = fit(net, dataset(x, wanted), head_losses<TwoHeads>(CrossEntropyLoss{}, 0.5 * MSELoss{}),
                                Adam{.lr = 0.01}, {.batch_size = 25, .epochs = 3});
    std::vector<double> losses;
    for (const EpochRecord& record : history.epochs)
      for (const HeadRecord& head : record.heads) losses.push_back(head.train_loss);
    CHECK(losses.size() == 6);
    return losses;
  });
}

TEST_CASE("So do a loop of one's own, accumulated gradients, weights of classes and gradients of the inputs") {
  check_same_bits<Convolutional>([](auto& net) {
    using Row = Convolutional::InputRow;
    const auto x = inputs<Row>(40);
    const auto labels = labels_for(40, 5);
    const auto batch = [&](std::size_t first, std::size_t count) { return x.view().slice(first, count); };
    const auto wanted = [&](std::size_t first, std::size_t count) {
      return std::span<const int>(labels).subspan(first, count);
    };
    std::vector<double> numbers;
    const auto add = [&](double number) { numbers.push_back(number); };
    Trainer trainer{net, NLLLoss{}, Adam{.lr = 0.003}};
    for (const std::size_t count : {std::size_t{33}, std::size_t{1}, std::size_t{3}, std::size_t{20}})
      add(trainer.step(batch(0, count), wanted(0, count)));
    Tensor<float, Row> dx;
    for (int round = 0; round < 2; ++round) {
      add(trainer.accumulate(batch(0, 23), wanted(0, 23)));
      add(trainer.accumulate(batch(23, 17), wanted(23, 17), dx));
      for (const float number : dx.values()) add(number);
      CHECK(trainer.update());
    }
    add(trainer.step(batch(7, 30), wanted(7, 30)));
    CHECK(trainer.steps() == 7);

    return numbers;
  });
  check_same_bits<Perceptron>([](auto& net) {
    Trainer trainer{net, WeightedCrossEntropyLoss<3>{.weight = {1, 2, 0.5}}, clip_grad_norm(SGD{.lr = 0.1}, 0.01)};
    return std::vector<double>{trainer.step(inputs<Shape<13>>(31), labels_for(31, 3))};
  });
}

TEST_CASE("Ranks divide the slots of a batch, and need no rows but their own") {
  const FreshCuda fresh;
  const auto labels = labels_for(40, 3);  // 20 slots of two rows
  int sound = 0;
  std::mutex mutex;
  std::vector<std::vector<int>> slots(3);
  Threads(3).run([&](Communicator& world) {
    const sinter::internal::detail::SlotsOverRanks divided(&world, Cuda{});
    for (const int count : {20, 2})
      for (const int slot : {divided.slot_range(count).first, divided.slot_range(count).last})
        slots[static_cast<std::size_t>(world.rank())].push_back(slot);
    Network<Perceptron, Ranks<Cuda>> net{{world}, {.seed = 7}};
    auto x = inputs<Shape<13>>(40);
    for (int row = 0; row < 40; ++row)
      if (row / 2 < divided.slot_range(20).first || row / 2 >= divided.slot_range(20).last)
        x(static_cast<std::size_t>(row), 5) = std::numeric_limits<float>::quiet_NaN();
    Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
    trainer.step(x, labels);
    const std::lock_guard lock(mutex);
    sound += trainer.problem().empty() && trainer.steps() == 1;
  });
  CHECK(sound == 3);
  CHECK(slots == std::vector<std::vector<int>>{{0, 6, 2, 2}, {6, 13, 0, 1}, {13, 20, 1, 2}});
}

TEST_CASE("A loss that is not finite stops all ranks at the same step, with the same message") {
  const FreshCuda fresh;
  const auto labels = labels_for(40, 3);
  std::mutex mutex;
  std::vector<std::string> problems;
  Threads(3).run([&](Communicator& world) {
    Network<Perceptron, Ranks<Cuda>> net{{world}, {.seed = 7}};
    auto x = inputs<Shape<13>>(40);
    Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
    for (int i = 0; i < 13; ++i) x(39, i) = 3e38f;  // a row of the last rank
    trainer.step(x, labels);
    CHECK(trainer.steps() == 0);
    const History history = fit(net, dataset(x, labels), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 10});
    const std::lock_guard lock(mutex);
    problems.push_back(trainer.problem() + history.stopped);
  });
  REQUIRE(problems.size() == 3);
  CHECK(has(problems[0], "not finite"));
  CHECK((problems[1] == problems[0] && problems[2] == problems[0]));
}

TEST_CASE("Ranks that differ are named, and a captured step is refused") {
  const FreshCuda fresh;
  const auto x = inputs<Shape<13>>(8);
  const auto labels = labels_for(8, 3);
  const auto error = [&](auto&& use) { return error_of([&] { Threads(2).run(use); }); };
  CHECK(has(error([&](Communicator& world) {
              Network<Perceptron, Ranks<Cuda>> net{{world}, {.seed = 7 + static_cast<unsigned>(world.rank())}};
              Trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}}.step(x, labels);
            }),
            "rank 1 differs from rank 0 in: the seed (8, not 7); the weights"));
  CHECK(has(error([&](Communicator& world) {
              Network<Perceptron, Ranks<Cuda>> net{{world}, {.seed = 7}};
              fit(net, subset(dataset(x, labels), 0, 8 - static_cast<std::size_t>(world.rank())), CrossEntropyLoss{},
                  SGD{.lr = 0.1}, {.batch_size = 2});
            }),
            "rank 1 differs from rank 0 in: the rows of the data (7, not 8)"));
  CHECK(has(error([&](Communicator& world) {
              Network<Perceptron, Ranks<Cuda>> net{{world}, {.seed = 7}};
              Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
              const cudaStream_t stream = net.device().stream;
              cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing");
              const std::string text = error_of([&] { trainer.step(x, labels); });
              cudaGraph_t graph = nullptr;
              cuda_check(cudaStreamEndCapture(stream, &graph), "capturing");
              cuda_check(cudaGraphDestroy(graph), "destroying a graph");
              fail(text);
            }),
            "a step of a network on ranks was captured into a graph"));
}

TEST_CASE("describe shows the plan pair") {
  const FreshCuda fresh;
  CHECK(has(describe(Network<Perceptron, Ranks<Cuda>>{}, 20), "plan pair on cuda"));
}

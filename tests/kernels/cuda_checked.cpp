// SPDX-License-Identifier: MIT
// labels: large O1 gpu
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/kernels/gpu/evaluate.hpp"
#include "sinter/loss/head_losses.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/heads.hpp"
#include "support/checked_executor.hpp"
#include "support/cuda_resident.hpp"
#include "support/more_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Mlp : Sequential<Input<3>, Linear<7>, ReLU, Dropout<0.5>, Linear<1>, Tanh, Linear<4>> {};
// Large for a resident block of numbers as wide as those here: see below.
struct Large : Sequential<Input<8>, Linear<160>, ReLU, Linear<160>, ReLU, Linear<5>> {};
static_assert(gpu_kernels::ResidentMemory<Large, float, SGD::states>::expected_rows == gpu_kernels::Expected::large);
static_assert(!gpu_kernels::ResidentMemory<Large, float, SGD::states>::holds_state);
struct Cnn : Sequential<Input<2, 8, 7>, Conv2d<4, 3, Padding<1>>, Dropout2d<0.5>, MaxPool2d<2>, ReLU, Conv2d<3, 2>,
                        AvgPool2d<2, Stride<1>>, Tanh, Flatten, Linear<5>, LogSoftmax, Linear<2>> {};
struct Norms : Sequential<Input<2, 5, 7>, Conv2d<4, 3>, GroupNorm<2>, ReLU, InstanceNorm2d<>, LayerNorm<>, Flatten,
                          GroupNorm<5>, Linear<5>, LayerNorm<>, Linear<2>> {};
struct Parts
    : Sequential<Input<60>, Reshape<3, 4, 5>, Conv2d<4, 2>, PReLU<PerChannel>, Highway<Path<Tanh>, Path<Conv2d<4, 1>>>,
                 Slice<1, 3>, ConvTranspose2d<2, 2, Stride<2>>, AdaptiveAvgPool2d<4, 3>, PReLU<>, Flatten, Linear<2>> {
};
struct Tables
    : Sequential<Input<5>, Concat<Path<Slice<0, 2>, networks::ToRows, Embedding<3, 4>, Flatten>, Path<Slice<2, 3>>>,
                 Linear<2>> {};
struct Two : Sequential<Input<3>, Linear<7>, ReLU, Heads<Path<Linear<4>>, Path<Linear<1>>>> {};
using TwoLosses = decltype(head_losses<Two>(MSELoss{}, MSELoss{}));
struct BatchNorms
    : Sequential<Input<2, 5, 7>, Conv2d<4, 3>, BatchNorm2d<>, ReLU, Flatten, Linear<5>, BatchNorm1d<>, Linear<2>> {};

/// Labels, or rows of numbers where the loss takes such.
template <class Loss>
const auto& targets_of(const Batch<float>& problem) {
  if constexpr (std::is_same_v<typename Loss::Target, ClassTarget>)
    return problem.labels;
  else
    return problem.wanted;
}

std::string text_of(const std::set<std::string>& findings) {
  std::string all;
  for (const auto& f : findings) all += f + "; ";
  return all;
}

/// A forward pass and a step by a plan of kernels, under a checker.
template <class Model, KernelPlan Plan>
void step(Checker& checker, std::size_t rows) {
  const Problem<Model, float> problem{Problem<Model>(rows, 3)};
  CudaOnHost<Model, float, Plan, CheckedLauncher> engine(2, CheckedLauncher{&checker});
  std::vector<float> y(rows * problem.outputs), gradient(problem.parameters.size()), input(problem.x.size());
  engine.forward(problem.parameters.data(), problem.x.data(), rows, y.data());
  engine.accumulate(problem.parameters.data(), problem.batch(), CrossEntropyLoss{},
                    GradientSum{0.5f, gradient.data(), input.data()});
}

/// An epoch by the plan `resident`, of two networks.
template <class Model, class Loss = CrossEntropyLoss>
void epoch(Checker& checker, std::size_t rows) {
  const Problem<Model, float> problem{Problem<Model>(rows, 3)};
  ResidentRun<Model, float, Loss, SGD, CheckedLauncher> run;
  run.parameters = problem.parameters;
  run.others.emplace_back().parameters = problem.parameters;
  // In order: a permutation walks for ever from a row that there is not.
  run.epoch(problem.x, targets_of<Loss>(problem), 3, SGD{.lr = 0.1, .momentum = 0.5}, 1, 0, 2,
            CheckedLauncher{&checker}, false);
}

/// Two networks judged side by side, by other rows.
template <class Model>
void judge(Checker& checker, std::size_t rows) {
  const Problem<Model, float> problem{Problem<Model>(rows, 3)};
  using Data = gpu_kernels::Rows<float, int, float>;
  using K = gpu_kernels::EvaluateNetworks<Model, float, Data, CrossEntropyLoss>;
  CheckedLauncher launch{&checker};
  const EvaluatedRows<float> networks[] = {{problem.parameters.data(), {0, rows}},
                                           {problem.parameters.data(), {rows / 2, rows - rows / 2}}};
  gpu_kernels::EvaluationSums evaluations[2];
  launch.given(problem.parameters.data(), problem.parameters.size());
  launch.given(problem.x.data(), problem.x.size());
  launch.given(problem.labels.data(), problem.labels.size());
  for (gpu_kernels::EvaluationSums& evaluation : evaluations) {
    launch.wanted(&evaluation.loss, 1);
    launch.wanted(&evaluation.right, 1);
  }
  launch.operator()<K>(
      {{{problem.x.data(), problem.labels.data(), 1, 0}, 0, nullptr, nullptr, {}}, networks, evaluations}, 2,
      K::least_memory);
  for (gpu_kernels::EvaluationSums& evaluation : evaluations) {
    launch.expect(&evaluation.loss, 1);
    launch.expect(&evaluation.right, 1);
  }
}

/// Steps of the plan pair over two epochs, the last batch of which is short, and one step too many. Kernels learn from the
/// device which step it is.
template <class Model, class Loss = CrossEntropyLoss>
void steps(Checker& checker, std::size_t rows) {
  constexpr std::size_t sums = loss_sums<Loss>;
  const Problem<Model, float> problem{Problem<Model>(rows, 3)};
  const auto& targets = targets_of<Loss>(problem);
  using Data = gpu_kernels::Rows<float, typename std::remove_cvref_t<decltype(targets)>::value_type, float>;
  using Tiles = gpu_kernels::TrainTiles<Model, float, Data, Loss, false>;
  using Update = gpu_kernels::ApplyUpdate<SGD::Update<float>, SGD::states, static_cast<int>(heads_of_loss<Loss>)>;
  constexpr int arena = Program<Model>::arena_size, update_blocks = 3;
  auto parameters = problem.parameters;
  const auto size = static_cast<std::uint32_t>(rows), batch = std::min<std::uint32_t>(3, size),
             of_epoch = (size + batch - 1) / batch;
  const gpu_kernels::Epoch epochs[2] = {{nullptr, {1, 0}}, {nullptr, {1, 1}}};
  const gpu_kernels::StepRange range{size, batch, of_epoch, 0, 2 * of_epoch, {0, 2}, epochs};
  const auto cut = gpu_kernels::Cut::of(static_cast<int>(batch), 2),
             last = gpu_kernels::Cut::of(static_cast<int>(size % batch == 0 ? batch : size % batch), 2);
  const int slots = std::max(cut.slot_count, last.slot_count);
  std::vector<float> slot_gradients(static_cast<std::size_t>(slots * arena)), gradient(arena), state(arena);
  std::vector<double> slot_losses(sums > 1 ? sums * gpu_kernels::Cut::most_slots : static_cast<std::size_t>(slots)),
      losses(range.steps * sums);
  std::vector<std::uint32_t> large(static_cast<std::size_t>(slots));
  const SGD sgd{.lr = 0.1, .momentum = 0.5};
  const SGD::Update<float> updates[] = {sgd.at<float>(0), sgd.at<float>(1)};
  gpu_kernels::StepStatus status{};

  CheckedLauncher launch{&checker};
  launch.given(problem.x.data(), problem.x.size());
  launch.given(targets.data(), targets.size());
  launch.given(parameters.data(), parameters.size());
  launch.given(state.data(), state.size());
  launch.given(slot_gradients.data(), slot_gradients.size());  // the gaps between parameters too
  launch.given(&status, 1);
  launch.wanted(slot_losses.data(), slot_losses.size());
  launch.wanted(large.data(), large.size());
  launch.wanted(gradient.data(), gradient.size());
  launch.wanted(losses.data(), losses.size());
  typename Tiles::Args tiles{};
  tiles.step.data = {problem.x.data(), targets.data(), 1, 0};
  tiles.cut = cut;
  tiles.last_cut = last;
  tiles.parameters = parameters.data();
  tiles.slot_gradients = slot_gradients.data();
  tiles.losses = slot_losses.data();
  tiles.large = large.data();
  tiles.status = &status;
  tiles.range = &range;
  typename Update::Args update{};
  update.sums = {slot_gradients.data(), slot_losses.data(), cut.slot_count, arena};
  update.last_count = last.slot_count;
  update.large = large.data();
  update.blocks = update_blocks;
  update.gradient = gradient.data();
  update.updates = updates;
  update.groups = 1;
  update.parameters = parameters.data();
  update.state = state.data();
  update.status = &status;
  update.changes = &range.changes;
  update.range = &range;
  update.losses = losses.data();
  update.kept_losses = range.steps;
  update.stops = true;
  for (std::uint32_t i = 0; i <= range.steps; ++i) {
    launch.template operator()<Tiles>(tiles, slots, Tiles::Step::Memory::bytes(2));
    launch.template operator()<Update>(update, update_blocks + 1, std::min(Update::memory, arena * sizeof(float)));
  }
  launch.expect(gradient.data(), gradient.size());
  launch.expect(losses.data(), losses.size());
}

/// The kernels that have no plan: what makes orders, what looks at numbers, and what judges outputs.
void others(Checker& checker, std::size_t rows) {
  constexpr int n = 3, blocks = 3;
  CheckedLauncher launch{&checker};
  std::vector<std::uint32_t> order(rows), large(blocks);
  const gpu_kernels::OrderOfRows asked{order.data(), Permutation(rows, 1, 2), {}};
  const auto half = static_cast<std::uint32_t>(rows / 2);
  const gpu_kernels::PieceOfOrder pieces[] = {{0, 0, half}, {0, half, static_cast<std::uint32_t>(rows) - half}};
  launch.wanted(order.data(), rows);
  launch.operator()<gpu_kernels::MakeOrders>({&asked, pieces}, 2, 0);
  launch.expect(order.data(), rows);

  const std::vector<float> slot(rows, 1);
  const double loss = 1;
  launch.given(slot.data(), rows);
  launch.given(&loss, 1);
  launch.wanted(large.data(), blocks);
  launch.operator()<gpu_kernels::LookAtSlot<float>>({slot.data(), static_cast<int>(rows), &loss, large.data()}, blocks,
                                                    0);
  launch.expect(large.data(), blocks);

  const std::vector<float> outputs(rows * n, 0.5f);
  const std::vector<int> labels(rows, 1);
  std::vector<float> losses(rows);
  std::vector<std::uint32_t> right(rows);
  gpu_kernels::EvaluationSums total;
  launch.given(outputs.data(), outputs.size());
  launch.given(labels.data(), labels.size());
  launch.wanted(losses.data(), rows);
  launch.wanted(right.data(), rows);
  launch.given(&total.loss, 1);
  launch.given(&total.right, 1);
  launch.operator()<gpu_kernels::EvaluateRows<float, int, CrossEntropyLoss>>(
      {outputs.data(), labels.data(), static_cast<int>(rows), n, {}, losses.data(), right.data()}, blocks, 0);
  launch.expect(losses.data(), rows);
  launch.expect(right.data(), rows);
  using Sum = gpu_kernels::SumRows<float>;
  launch.operator()<Sum>({losses.data(), right.data(), static_cast<int>(rows), &total.loss, &total.right}, 1,
                         Sum::memory);
}

using Run = void (*)(Checker&, std::size_t rows);

void check_clean(Run run) {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{4}, std::size_t{7}})
    for (unsigned order = 1; order <= 20; ++order) {
      Checker checker(order);
      run(checker, rows);
      CAPTURE(rows);
      CAPTURE(text_of(checker.findings()));
      CHECK(checker.clean());
    }
}

/// Of each kind of fault, some forty places where it can happen. Some do no harm where they happen (the last barrier; a
/// write lost that repeats what was there), so of most kinds nine in ten must be found, unless some blocks have nothing to
/// do, and of the others two in ten.
void check_faults(Run run, bool idle_blocks = false) {
  for (int k = 1; k < Fault::kinds; ++k) {
    const auto kind = static_cast<Fault::Kind>(k);
    Checker count(1, {kind, -1});
    run(count, 5);
    const int events = count.events(), stride = events / 40 + 1;
    int tried = 0, found = 0;
    for (int i = 0; i < events; i += stride, ++tried) {
      Checker checker(1, {kind, i});
      run(checker, 5);
      found += !checker.clean();
    }
    INFO(std::string(name_of(kind)) << ": " << events << " places, " << tried << " tried, " << found << " found");
    const bool always = kind == Fault::item_done_twice || kind == Fault::read_far_outside ||
                        kind == Fault::write_far_outside || kind == Fault::stray_write || kind == Fault::once_by_all ||
                        (!idle_blocks && (kind == Fault::wrong_block || kind == Fault::memory_too_small));
    CHECK(tried > 0);
    CHECK(found * 10 >= tried * (always ? 9 : 2));
  }
}

}  // namespace

TEST_CASE("every plan is clean, in any order of threads and blocks") {
  check_clean(step<Mlp, KernelPlan::tiles>);
  check_clean(step<Mlp, KernelPlan::phases>);
  check_clean(epoch<Mlp>);
  check_clean(step<Cnn, KernelPlan::tiles>);
  check_clean(step<Cnn, KernelPlan::phases>);
  check_clean(epoch<Cnn>);
  check_clean(steps<Mlp>);
  check_clean(steps<Cnn>);
  check_clean(steps<Two, TwoLosses>);
  check_clean(epoch<Two, TwoLosses>);
  check_clean(judge<Mlp>);
  check_clean(judge<Cnn>);
  check_clean(step<Norms, KernelPlan::tiles>);
  check_clean(step<Norms, KernelPlan::phases>);
  check_clean(epoch<Norms>);
  check_clean(step<BatchNorms, KernelPlan::phases>);
  check_clean(step<Parts, KernelPlan::tiles>);
  check_clean(step<Parts, KernelPlan::phases>);
  check_clean(epoch<Parts>);
  check_clean(step<Tables, KernelPlan::phases>);
  check_clean(epoch<Tables>);
  check_clean(others);
}
TEST_CASE("a large resident network is clean too") {
  for (unsigned order = 1; order <= 3; ++order) {
    Checker checker(order);
    epoch<Large>(checker, 4);
    CAPTURE(text_of(checker.findings()));
    CHECK(checker.clean());
  }
}
TEST_CASE("faults are found where networks are judged") { check_faults(judge<Cnn>); }
TEST_CASE("faults are found in steps that count themselves") { check_faults(steps<Cnn>, true); }
TEST_CASE("faults are found where heads have sums of their own") {
  check_faults(steps<Two, TwoLosses>, true);
  check_faults(epoch<Two, TwoLosses>);
}
TEST_CASE("faults are found in the plan of tiles") { check_faults(step<Cnn, KernelPlan::tiles>); }
TEST_CASE("faults are found in the plan of phases") { check_faults(step<Cnn, KernelPlan::phases>); }
TEST_CASE("faults are found where samples are normalised") { check_faults(step<Norms, KernelPlan::tiles>); }
TEST_CASE("faults are found where batches are normalised") { check_faults(step<BatchNorms, KernelPlan::phases>); }
TEST_CASE("faults are found in the resident plan") { check_faults(epoch<Cnn>); }

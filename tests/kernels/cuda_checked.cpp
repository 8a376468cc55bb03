// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sinter/kernels/cuda/judge.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "support/checked_executor.hpp"
#include "support/cuda_resident.hpp"
#include "support/networks.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {

struct Mlp : Sequential<Input<3>, Linear<7>, ReLU, Dropout<0.5>, Linear<1>, Tanh, Linear<4>> {};
// Large for a resident block of numbers as wide as those here: see below.
struct Large : Sequential<Input<8>, Linear<160>, ReLU, Linear<160>, ReLU, Linear<5>> {};
static_assert(gpu_kernels::ResidentMemory<Large, float, SGD::states>::expected_rows == gpu_kernels::Expected::large);
static_assert(!gpu_kernels::ResidentMemory<Large, float, SGD::states>::holds_state);
struct Cnn : Sequential<Input<2, 8, 7>, Conv2d<4, 3, Padding<1>>, Dropout2d<0.5>, MaxPool2d<2>, ReLU, Conv2d<3, 2>,
                        AvgPool2d<2, Stride<1>>, Tanh, Flatten, Linear<5>, LogSoftmax, Linear<2>> {};

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
  engine.accumulate(problem.parameters.data(), problem.x.data(), rows, problem, problem.samples.data(), problem.key,
                    0.5f, CrossEntropyLoss{}, gradient.data(), input.data());
}

/// An epoch by the plan `resident`, of two networks.
template <class Model>
void epoch(Checker& checker, std::size_t rows) {
  const Problem<Model, float> problem{Problem<Model>(rows, 3)};
  ResidentRun<Model, float, CrossEntropyLoss, SGD, CheckedLauncher> run;
  run.parameters = problem.parameters;
  run.others.emplace_back().parameters = problem.parameters;
  // In order: a permutation walks for ever from a row that there is not.
  run.epoch(problem.x, problem.labels, 3, SGD{.lr = 0.1, .momentum = 0.5}, 1, 0, 2, CheckedLauncher{&checker}, false);
}

/// Two networks judged side by side, by other rows.
template <class Model>
void judge(Checker& checker, std::size_t rows) {
  const Problem<Model, float> problem{Problem<Model>(rows, 3)};
  using Data = gpu_kernels::Rows<float, int, float>;
  using K = gpu_kernels::JudgeNetworks<Model, float, Data, CrossEntropyLoss>;
  CheckedLauncher launch{&checker};
  const JudgedRows<float> networks[] = {{problem.parameters.data(), {0, rows}},
                                        {problem.parameters.data(), {rows / 2, rows - rows / 2}}};
  gpu_kernels::Judgement judgements[2];
  launch.given(problem.parameters.data(), problem.parameters.size());
  launch.given(problem.x.data(), problem.x.size());
  launch.given(problem.labels.data(), problem.labels.size());
  for (gpu_kernels::Judgement& judgement : judgements) {
    launch.wanted(&judgement.loss, 1);
    launch.wanted(&judgement.right, 1);
  }
  launch.operator()<K>(
      {{{problem.x.data(), problem.labels.data(), 1, 0}, 0, nullptr, nullptr, {}}, networks, judgements}, 2,
      K::least_memory);
  for (gpu_kernels::Judgement& judgement : judgements) {
    launch.expect(&judgement.loss, 1);
    launch.expect(&judgement.right, 1);
  }
}

/// The kernels that have no plan: an update, and what judges outputs.
void others(Checker& checker, std::size_t rows) {
  constexpr int arena = 16, n = 3, blocks = 3;
  CheckedLauncher launch{&checker};
  std::vector<float> parameters(arena, 1), gradient(arena, 2), state(2 * arena, 0);
  const std::vector<std::uint32_t> bad(blocks, 0);
  const Adam::Update<float> update = Adam{}.at<float>(0);
  gpu_kernels::Status status{};
  launch.given(parameters.data(), parameters.size());
  launch.given(gradient.data(), gradient.size());
  launch.given(state.data(), state.size());
  launch.given(bad.data(), bad.size());
  launch.given(&status, 1);
  launch.operator()<gpu_kernels::ApplyUpdate<Adam::Update<float>, 2>>(
      {&update, nullptr, arena, parameters.data(), gradient.data(), state.data(), bad.data(), blocks, &status}, blocks,
      0);

  const std::vector<float> outputs(rows * n, 0.5f);
  const std::vector<int> labels(rows, 1);
  std::vector<float> losses(rows);
  std::vector<std::uint32_t> right(rows);
  gpu_kernels::Judgement total;
  launch.given(outputs.data(), outputs.size());
  launch.given(labels.data(), labels.size());
  launch.wanted(losses.data(), rows);
  launch.wanted(right.data(), rows);
  launch.given(&total.loss, 1);
  launch.given(&total.right, 1);
  launch.operator()<gpu_kernels::JudgeRows<float, int, CrossEntropyLoss>>(
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
/// write lost that repeats what was there), so of most kinds nine in ten must be found, and of
/// the others two in ten.
void check_faults(Run run) {
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
                        kind == Fault::wrong_block || kind == Fault::memory_too_small;
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
  check_clean(judge<Mlp>);
  check_clean(judge<Cnn>);
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
TEST_CASE("faults are found in the plan of tiles") { check_faults(step<Cnn, KernelPlan::tiles>); }
TEST_CASE("faults are found in the plan of phases") { check_faults(step<Cnn, KernelPlan::phases>); }
TEST_CASE("faults are found in the resident plan") { check_faults(epoch<Cnn>); }

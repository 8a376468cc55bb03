// SPDX-License-Identifier: MIT
// labels: cuda large sanitized
#include "sinter/kernels/engine.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/training.hpp"

using namespace sinter::internal;

namespace {

using Model = Sequential<Input<4>, Linear<8>, ReLU, Linear<3>, LogSoftmax>;
template <class Device, class T = float>
using EngineOn = typename EngineFor<Model, T, Device>::Type;

static_assert(EngineOf<EngineOn<Host>, Model, float, NLLLoss>);
static_assert(EngineOf<EngineOn<Host, double>, Model, double, NLLLoss>);
static_assert(EngineOf<EngineOn<Reference>, Model, float, NLLLoss>);
static_assert(EngineOf<EngineOn<Cuda>, Model, float, NLLLoss>);
static_assert(EngineOf<EngineOn<CudaWith<CudaPlan::resident>>, Model, float, NLLLoss>);
static_assert(KeepsData<EngineOn<Cuda>> && !KeepsData<EngineOn<Host>> && !KeepsData<EngineOn<Reference>>);

// A class without one of the members is not an engine.
struct NoSteps : EngineOn<Host> {
  void steps() const;
};
struct NoUpdate : EngineOn<Host> {
  void apply() const;
};
struct NoLook : EngineOn<Cuda> {
  void look(int);
};
struct NotItsNumbers : EngineOn<Host, double> {};
static_assert(!EngineOf<NoUpdate, Model, float, NLLLoss>);
static_assert(!EngineOf<NoSteps, Model, float, NLLLoss>);
static_assert(!EngineOf<NoLook, Model, float, NLLLoss>);
static_assert(!EngineOf<NotItsNumbers, Model, float, NLLLoss>);
static_assert(!EngineOf<int, Model, float, NLLLoss>);

}  // namespace

TEST_CASE("engines of the three devices are what the rest of the library asks for") {
  // A forward pass through nothing but what the concept names.
  const auto outputs = []<class E>(std::type_identity<E>) {
    const typename E::Device device{};
    const auto parameters = E::zeros(device, static_cast<std::size_t>(Program<Model>::arena_size));
    typename E::Workspace workspace(device, 2);
    const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<float> y(6);
    E::forward(parameters.data(), BatchInputs<TensorView<const float, Shape<4>>>{{x, 2}}, 2, workspace, y.data());
    return y;
  };
  const std::vector<float> on_reference = outputs(std::type_identity<EngineOn<Reference>>{});
  CHECK(on_reference.front() == doctest::Approx(-1.0986123));
  CHECK(outputs(std::type_identity<EngineOn<Host>>{}) == on_reference);
}

TEST_CASE_TEMPLATE("steps of an engine are those of fit, over the end of an epoch", Device, Host, Reference) {
  const std::size_t rows = 11, batch = 4, steps = 6;  // 4, 4, 3 rows in each of two epochs
  const auto x = sinter_test::inputs<Model::InputRow>(rows);
  const auto labels = sinter_test::labels_for(rows, 3);
  const auto data = dataset(x, labels);
  const SGD optimizer{.lr = 0.1, .momentum = 0.9};
  Network<Model, Device> fitted{{.seed = 7}}, stepped{{.seed = 7}};
  fit(fitted, data, NLLLoss{}, optimizer, {.batch_size = batch, .epochs = 2});

  using Engine = EngineOn<Device>;
  Engine engine(stepped.device());
  auto state = Engine::zeros(stepped.device(), stepped.gradient().size());
  const std::vector<double> factors;
  const Arenas<float> arenas{stepped.data(), stepped.gradient().data(), state.data()};
  const StepsWanted wanted{.order = {.seed = 7}, .first = 0, .batch = batch, .count = steps};
  const StepsDone done =
      engine.steps(engine.keep(data), wanted, NLLLoss{}, UpdateStep<SGD>{optimizer, 0, factors}, arenas);
  CHECK(done.applied == steps);
  CHECK(done.losses.size() == steps);
  CHECK(sinter_test::same(sinter_test::weights(stepped), sinter_test::weights(fitted)));

  stepped.data()[0] = std::numeric_limits<float>::quiet_NaN();
  const StepsDone unsound =
      engine.steps(engine.keep(data), wanted, NLLLoss{}, UpdateStep<SGD>{optimizer, steps, factors}, arenas);
  CHECK(unsound.applied == 0);
  CHECK(unsound.losses.size() == 1);
}

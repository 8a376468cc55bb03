// SPDX-License-Identifier: MIT
// labels: cuda
#include "sinter/kernels/engine.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

#include "sinter/sinter.cuh"

using namespace sinter;

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

// What lacks something is none.
struct NoUpdate : EngineOn<Host> {
  void apply() const;
};
struct NoLook : EngineOn<Cuda> {
  void look(int);
};
struct NotItsNumbers : EngineOn<Host, double> {};
static_assert(!EngineOf<NoUpdate, Model, float, NLLLoss>);
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

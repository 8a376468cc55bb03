// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sinter/core/isa.hpp"
#include "sinter/kernels/host/engine.hpp"
#include "sinter/loss/target.hpp"

/// The host's engine behind the interface of the reference, so that the same checks serve both: plain row-major x.
namespace sinter_test {

template <class Model, class T, class Isa = sinter::isa::Native>
class HostUnderTest {
 public:
  using Engine = sinter::HostEngine<Model, T, Isa>;
  using Row = sinter::shape_of<sinter::Program<Model>::input>;
  using View = sinter::TensorView<const T, Row>;

  explicit HostUnderTest(int threads = 1) : engine_(sinter::HostFor<Isa>{.threads = threads}) {}

  void forward(const T* parameters, const T* x, std::size_t rows, T* y) {
    Engine::forward(parameters, inputs(x, rows), rows, workspace_, y);
  }
  /// `input_gradient` is a pointer, or nullptr itself: the plan that makes no gradient of the input.
  template <class Loss, class Targets, class InputGradient>
  double accumulate(const T* parameters, const T* x, std::size_t rows, const Targets& targets,
                    const std::uint32_t* samples, sinter::MaskKey key, T scale, const Loss& loss, T* gradient,
                    InputGradient input_gradient) {
    return engine_.accumulate(parameters, inputs(x, rows), rows, targets, samples, key, scale, loss, gradient,
                              input_gradient);
  }

 private:
  static sinter::BatchInputs<View> inputs(const T* x, std::size_t rows) { return {View{x, rows}, {}, {}}; }

  Engine engine_;
  typename Engine::Workspace workspace_;
};

template <class Isa = sinter::isa::Native>
struct MakeHost {
  int threads = 1;
  template <class Model, class T>
  HostUnderTest<Model, T, Isa> make() const {
    return HostUnderTest<Model, T, Isa>(threads);
  }
};

}  // namespace sinter_test

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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
  /// By the plan that makes a gradient of the input, wanted or not: one plan is compiled.
  template <class Loss, class Targets>
  double accumulate(const T* parameters, const T* x, std::size_t rows, const Targets& targets,
                    const std::uint32_t* samples, sinter::MaskKey key, T scale, const Loss& loss, T* gradient,
                    T* input_gradient) {
    unwanted_.resize(rows * Row::size);
    return engine_.accumulate(parameters, inputs(x, rows), rows, targets, samples, key, scale, loss, gradient,
                              input_gradient ? input_gradient : unwanted_.data());
  }
  /// By the plan that makes none.
  template <class Loss, class Targets>
  double accumulate_parameters(const T* parameters, const T* x, std::size_t rows, const Targets& targets,
                               const std::uint32_t* samples, sinter::MaskKey key, T scale, const Loss& loss,
                               T* gradient) {
    return engine_.accumulate(parameters, inputs(x, rows), rows, targets, samples, key, scale, loss, gradient);
  }

 private:
  static sinter::BatchInputs<View> inputs(const T* x, std::size_t rows) { return {View{x, rows}, {}, {}}; }

  Engine engine_;
  typename Engine::Workspace workspace_{sinter::HostFor<Isa>{}};
  std::vector<T> unwanted_;
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

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/core/isa.hpp"
#include "sinter/kernels/host/engine.hpp"
#include "sinter/loss/target.hpp"

/// The host's engine by the interface of the reference, so that the same checks serve both: plain row-major x.
namespace sinter_test {

template <class Model, class T, class Isa = sinter::isa::Native>
class HostUnderTest {
 public:
  using Engine = sinter::internal::HostEngine<Model, T, Isa>;
  using Row = sinter::internal::shape_of<sinter::internal::Program<Model>::input>;
  using View = sinter::TensorView<const T, Row>;

  explicit HostUnderTest(int threads = 1) : engine_(sinter::internal::HostFor<Isa>{.threads = threads}) {}

  void forward(const T* parameters, const T* x, std::size_t rows, T* y) {
    Engine::forward(parameters, inputs(x, rows), rows, workspace_, y);
  }
  /// By the plan that makes a gradient of the input, wanted or not: one plan is compiled.
  template <class Loss, class Targets>
  double accumulate(const T* parameters, const sinter::internal::TrainingBatch<const T*, Targets>& batch,
                    const Loss& loss, sinter::internal::GradientSum<T, T*> to) {
    unwanted_.resize(batch.rows * Row::size);
    if (to.input_gradient == nullptr) to.input_gradient = unwanted_.data();
    return engine_.accumulate(parameters, with_view(batch), loss, to);
  }
  /// By the plan that makes none.
  template <class Loss, class Targets>
  double accumulate_parameters(const T* parameters, const sinter::internal::TrainingBatch<const T*, Targets>& batch,
                               const Loss& loss, const sinter::internal::GradientSum<T>& to) {
    return engine_.accumulate(parameters, with_view(batch), loss, to);
  }

 private:
  static sinter::internal::BatchInputs<View> inputs(const T* x, std::size_t rows) { return {View{x, rows}, {}, {}}; }
  template <class Targets>
  static auto with_view(const sinter::internal::TrainingBatch<const T*, Targets>& batch) {
    return sinter::internal::TrainingBatch<sinter::internal::BatchInputs<View>, Targets>{
        inputs(batch.inputs, batch.rows), batch.rows, batch.targets, batch.samples, batch.key};
  }

  Engine engine_;
  typename Engine::Workspace workspace_{sinter::internal::HostFor<Isa>{}, 40};
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

// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/fn/relu.hpp"
#include "sinter/kernels/reference/engine.hpp"
#include "sinter/model/program.hpp"
#include "sinter/ops/mask_key.hpp"

namespace sinter_test {

/// Random numbers that every standard library draws alike, and that float holds exactly.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  /// In [-limit, limit].
  double symmetric(double limit) {
    return static_cast<double>(static_cast<float>((static_cast<double>(bits() >> 8) * 0x1p-23 - 1) * limit));
  }
  std::uint32_t bits() { return static_cast<std::uint32_t>(random_()); }
  std::size_t below(std::size_t n) { return bits() % n; }

 private:
  std::mt19937 random_;
};

/// A model without its type, so that checks are compiled once: for each network anew, they took longer than its kernels.
struct AnyModel {
  std::size_t inputs, outputs, arena_size;
  std::span<const sinter::internal::Parameter> parameters, buffers;
  std::span<const sinter::internal::Op> ops;
  const bool* is_relu;  // of each op
  std::span<const char* const> layer_names;
};

template <class Model>
AnyModel any_model() {
  using Ops = sinter::internal::Program<Model>;
  static constexpr auto is_relu = []<int... I>(std::integer_sequence<int, I...>) {
    [[maybe_unused]] const auto of = []<class Op>(std::type_identity<Op>) {
      if constexpr (requires { typename Op::Functor; }) return std::is_same_v<typename Op::Functor, sinter::fn::Relu>;
      return false;
    };
    return std::array<bool, sizeof...(I) + 1>{of(std::type_identity<typename Ops::template OpType<I>>{})...};
  }(std::make_integer_sequence<int, Ops::op_count>{});
  return {static_cast<std::size_t>(Ops::input.size()),
          static_cast<std::size_t>(Ops::output.size()),
          static_cast<std::size_t>(Ops::storage_size),
          Ops::parameters,
          Ops::buffers,
          Ops::ops,
          is_relu.data(),
          Ops::layer_names};
}

/// A batch for a model with its parameters and targets, random, for any engine and any loss. It is its own `targets`.
template <class T>
struct Batch {
  AnyModel model;
  std::size_t rows, inputs = model.inputs, outputs = model.outputs;
  std::vector<T> parameters, x, wanted;
  std::vector<int> labels;
  std::vector<std::uint32_t> samples;
  sinter::internal::MaskKey key{};

  int label(std::size_t row) const { return labels[row]; }
  const T* row(std::size_t row) const { return wanted.data() + row * outputs; }
  sinter::internal::TrainingBatch<const T*, Batch> batch() const {
    return {x.data(), rows, *this, samples.data(), key};
  }

  /// Numbers that keep the values of a network about 1 from layer to layer.
  Batch(const AnyModel& of, std::size_t batch, unsigned seed);
  /// The same numbers in another type.
  template <class U>
  explicit Batch(const Batch<U>& other);
  void draw_row(Draw& draw, std::size_t row);
};

/// The same with the model in its type.
template <class Model, class T = double>
struct Problem : Batch<T> {
  Problem(std::size_t batch, unsigned seed) : Batch<T>(any_model<Model>(), batch, seed) {}
  template <class U>
  explicit Problem(const Problem<Model, U>& other) : Batch<T>(other) {}
  explicit Problem(Batch<T> batch) : Batch<T>(std::move(batch)) {}
};

/// A loss that hands the model a gradient: L = sum_i y_i target_i, dy = scale target.
struct GivenGradient {
  using Target = sinter::RowTarget;
  static constexpr const char* name = "GivenGradient";
  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    V total = V(0);
    for (int i = 0; i < n; ++i) total = sinter::fn::fma(y[i], target[i], total);
    return total;
  }
  template <class V>
  SINTER_FN void backward(const V*, int n, const V* target, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = scale * target[i];
  }
};

/// An engine and a loss without their types (see AnyModel).
template <class T>
struct AnyEngine {
  virtual void forward(const T* parameters, const T* x, std::size_t rows, T* y) const = 0;
  virtual double accumulate(const Batch<T>&, T scale, T* gradient, T* input_gradient) const = 0;
  /// Of the reference: a value of the last row that was worked on.
  virtual std::span<const double> value(int) const { return {}; }

 protected:
  ~AnyEngine() = default;
};
template <class T, class Engine, class Loss>
class AnyEngineOf final : public AnyEngine<T> {
 public:
  AnyEngineOf(Engine& engine, const Loss& loss) : engine_(engine), loss_(loss) {}
  void forward(const T* parameters, const T* x, std::size_t rows, T* y) const override {
    engine_.forward(parameters, x, rows, y);
  }
  double accumulate(const Batch<T>& b, T scale, T* gradient, T* input_gradient) const override {
    return engine_.accumulate(b.parameters.data(), b.batch(), loss_,
                              sinter::internal::GradientSum{scale, gradient, input_gradient});
  }
  std::span<const double> value(int i) const override {
    if constexpr (requires { engine_.value(i); } && std::is_same_v<T, double>) return engine_.value(i);
    return {};
  }

 private:
  Engine& engine_;
  const Loss& loss_;
};
/// It refers to both.
template <class T, class Engine, class Loss>
AnyEngineOf<T, Engine, Loss> any_engine(Engine& engine, const Loss& loss) {
  return {engine, loss};
}

/// A random batch that keeps away from kinks and ties: a row that does not is drawn again.
Batch<double> smooth_batch(const AnyModel& model, const AnyEngine<double>& reference, std::size_t rows, unsigned seed,
                           double margin = 1e-4);
template <class Model>
Problem<Model> smooth_problem(std::size_t rows, unsigned seed, double margin = 1e-4) {
  sinter::internal::ReferenceEngine<Model, double> reference;
  return Problem<Model>(
      smooth_batch(any_model<Model>(), any_engine<double>(reference, GivenGradient{}), rows, seed, margin));
}

}  // namespace sinter_test

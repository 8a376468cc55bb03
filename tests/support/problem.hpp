// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/fn/relu.hpp"
#include "sinter/kernels/reference/engine.hpp"
#include "sinter/network/program.hpp"
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

/// A batch for a model with its parameters and targets, random, for any engine and any loss. It is its own `targets`.
template <class Model, class T = double>
struct Problem {
  using Ops = sinter::Program<Model>;
  static constexpr std::size_t inputs = static_cast<std::size_t>(Ops::input.size()),
                               outputs = static_cast<std::size_t>(Ops::output.size());

  std::size_t rows;
  std::vector<T> parameters, x, wanted;
  std::vector<int> labels;
  std::vector<std::uint32_t> samples;
  sinter::MaskKey key{};

  int label(std::size_t row) const { return labels[row]; }
  const T* row(std::size_t row) const { return wanted.data() + row * outputs; }

  /// Numbers that keep the values of a network about 1 from layer to layer.
  Problem(std::size_t batch, unsigned seed) : rows(batch) {
    Draw draw(seed);
    parameters.resize(static_cast<std::size_t>(Ops::arena_size));
    for (const auto& p : Ops::parameters)
      for (int i = 0; i < p.size; ++i)
        parameters[static_cast<std::size_t>(p.offset + i)] =
            static_cast<T>(draw.symmetric(p.is_bias ? 0.5 : std::sqrt(3.0 / p.fan_in)));
    x.resize(rows * inputs);
    for (std::size_t row = 0; row < rows; ++row) draw_row(draw, row);
    for (std::size_t i = 0; i < rows * outputs; ++i) wanted.push_back(static_cast<T>(draw.symmetric(1)));
    for (std::size_t i = 0; i < rows; ++i) labels.push_back(static_cast<int>(draw.below(outputs)));
    for (std::size_t i = 0; i < rows; ++i) samples.push_back(draw.bits());
    key = {std::uint64_t{draw.bits()} << 32 | draw.bits(), draw.bits()};
  }
  void draw_row(Draw& draw, std::size_t row) {
    for (std::size_t i = 0; i < inputs; ++i) x[row * inputs + i] = static_cast<T>(draw.symmetric(1.5));
  }
  /// The same numbers in another type.
  template <class U>
  explicit Problem(const Problem<Model, U>& other)
      : rows(other.rows),
        parameters(other.parameters.begin(), other.parameters.end()),
        x(other.x.begin(), other.x.end()),
        wanted(other.wanted.begin(), other.wanted.end()),
        labels(other.labels),
        samples(other.samples),
        key(other.key) {}
};

/// A loss that hands the model a gradient: L = sum_i y_i target_i, dy = scale target.
struct GivenGradient {
  using Target = sinter::RowTarget;
  static constexpr const char* name = "GivenGradient";
  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    V total = V(0);
    for (int i = 0; i < n; ++i) total = sinter::fma(y[i], target[i], total);
    return total;
  }
  template <class V>
  SINTER_FN void backward(const V*, int n, const V* target, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = scale * target[i];
  }
};

/// How near a row comes to a kink of ReLU or a tie of max pooling, where central differences mean nothing. An exact 0
/// is no kink: it comes from a mask or from ReLU, and stays 0 next to here.
template <class Model>
double nearest_kink(const Problem<Model>& problem, std::size_t row) {
  using namespace sinter;
  using Ops = Program<Model>;
  ReferenceEngine<Model, double> engine;
  std::vector<double> gradient(problem.parameters.size());
  engine.accumulate(problem.parameters.data(), problem.x.data() + row * problem.inputs, 1, problem,
                    problem.samples.data() + row, problem.key, 1.0, GivenGradient{}, gradient.data(), nullptr);

  double nearest = std::numeric_limits<double>::infinity();
  const auto look_at = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    static constexpr Op op = Ops::ops[I];
    const auto x = engine.value(op.input);
    if constexpr (op.kind == OpKind::map) {
      if constexpr (std::is_same_v<typename Ops::template OpType<static_cast<int>(I)>::Functor, fn::Relu>)
        for (const double v : x)
          if (v != 0) nearest = std::min(nearest, std::abs(v));
    } else if constexpr (op.kind == OpKind::pool && !op.average) {
      for (int o = 0; o < op.out.size(); ++o) {
        std::vector<double> covered;
        reference::each_covered(op, o, [&](int i) { covered.push_back(x[static_cast<std::size_t>(i)]); });
        std::sort(covered.rbegin(), covered.rend());
        if (covered.size() > 1 && (covered[0] != 0 || covered[1] != 0))
          nearest = std::min(nearest, covered[0] - covered[1]);
      }
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (look_at(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<Ops::ops.size()>{});
  return nearest;
}

/// A random batch that keeps away from kinks and ties: a row that does not is drawn again.
template <class Model>
Problem<Model> smooth_problem(std::size_t rows, unsigned seed, double margin = 1e-4) {
  Problem<Model> problem(rows, seed);
  Draw draw(seed + 1);
  for (std::size_t row = 0; row < rows; ++row)
    for (int attempt = 0; nearest_kink(problem, row) < margin; ++attempt) {
      if (attempt == 1000) throw std::runtime_error("no input of this network keeps away from kinks");
      problem.draw_row(draw, row);
    }
  return problem;
}

}  // namespace sinter_test

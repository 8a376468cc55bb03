// SPDX-License-Identifier: MIT
#include "support/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "sinter/kernels/reference/pool.hpp"

namespace sinter_test {

template <class T>
Batch<T>::Batch(const AnyModel& of, std::size_t batch, unsigned seed) : model(of), rows(batch) {
  Draw draw(seed);
  parameters.resize(model.arena_size);
  for (const auto& p : model.parameters)
    for (int i = 0; i < p.size; ++i)
      parameters[static_cast<std::size_t>(p.offset + i)] =
          static_cast<T>(draw.symmetric(p.is_bias ? 0.5 : std::sqrt(3.0 / p.fan_in)));
  for (const auto& p : model.buffers)
    for (int i = 0; i < p.size; ++i)
      parameters[static_cast<std::size_t>(p.offset + i)] =
          static_cast<T>((p.start == sinter::internal::Start::ones ? 1 : 0) + draw.symmetric(0.5));
  x.resize(rows * inputs);
  for (std::size_t row = 0; row < rows; ++row) draw_row(draw, row);
  for (std::size_t i = 0; i < rows * outputs; ++i) wanted.push_back(static_cast<T>(draw.symmetric(1)));
  for (std::size_t i = 0; i < rows; ++i) labels.push_back(static_cast<int>(draw.below(outputs)));
  for (std::size_t i = 0; i < rows; ++i) samples.push_back(draw.bits());
  key = {std::uint64_t{draw.bits()} << 32 | draw.bits(), draw.bits()};
}

template <class T>
template <class U>
Batch<T>::Batch(const Batch<U>& other)
    : model(other.model),
      rows(other.rows),
      parameters(other.parameters.begin(), other.parameters.end()),
      x(other.x.begin(), other.x.end()),
      wanted(other.wanted.begin(), other.wanted.end()),
      labels(other.labels),
      samples(other.samples),
      key(other.key) {}

template <class T>
void Batch<T>::draw_row(Draw& draw, std::size_t row) {
  for (std::size_t i = 0; i < inputs; ++i) x[row * inputs + i] = static_cast<T>(draw.symmetric(1.5));
}

template struct Batch<float>;
template struct Batch<double>;
template Batch<float>::Batch(const Batch<double>&);

namespace {

/// How near a row comes to a kink of ReLU or a tie of max pooling, where central differences mean nothing. An exact 0
/// is no kink: it comes from a mask or from ReLU, and stays 0 next to here.
double nearest_kink(const AnyModel& model, const AnyEngine<double>& reference) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < model.ops.size(); ++i) {
    const sinter::internal::Op& op = model.ops[i];
    const auto x = reference.value(op.inputs[0]);
    if (op.kind == sinter::internal::OpKind::map && model.is_relu[i]) {
      for (const double v : x)
        if (v != 0) nearest = std::min(nearest, std::abs(v));
    } else if (op.kind == sinter::internal::OpKind::pool && !op.average) {
      for (int o = 0; o < op.out.size(); ++o) {
        std::vector<double> covered;
        sinter::internal::reference_kernels::each_covered(
            op, o, [&](int j) { covered.push_back(x[static_cast<std::size_t>(j)]); });
        std::sort(covered.rbegin(), covered.rend());
        if (covered.size() > 1 && (covered[0] != 0 || covered[1] != 0))
          nearest = std::min(nearest, covered[0] - covered[1]);
      }
    }
  }
  return nearest;
}

}  // namespace

Batch<double> smooth_batch(const AnyModel& model, const AnyEngine<double>& reference, std::size_t rows, unsigned seed,
                           double margin) {
  Batch<double> problem(model, rows, seed);
  Draw draw(seed + 1);
  for (std::size_t row = 0; row < rows; ++row)
    for (int attempt = 0;; ++attempt) {
      Batch<double> alone = problem;
      alone.rows = 1;
      alone.x.assign(problem.x.begin() + static_cast<std::ptrdiff_t>(row * problem.inputs), problem.x.end());
      alone.samples[0] = problem.samples[row];
      std::vector<double> gradient(problem.parameters.size());
      reference.accumulate(alone, 1.0, gradient.data(), nullptr);
      if (nearest_kink(model, reference) >= margin) break;
      if (attempt == 1000) throw std::runtime_error("no input of this network keeps away from kinks");
      problem.draw_row(draw, row);
    }
  return problem;
}

}  // namespace sinter_test

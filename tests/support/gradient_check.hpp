// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "support/problem.hpp"

namespace sinter_test {

/// |a| in the 2-norm.
template <class A>
double norm(const A& a) {
  double squares = 0;
  for (const auto v : a) squares += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(squares);
}

/// |a - b| / (|b| + least) in the 2-norm: how far the tensors a and b are apart. Infinite if a number is not finite.
template <class A, class B>
double norm_error(const A& a, const B& b, double least = 1e-12) {
  if (std::size(a) != std::size(b)) return std::numeric_limits<double>::infinity();
  std::vector<double> difference;
  for (std::size_t i = 0; i < std::size(a); ++i)
    difference.push_back(static_cast<double>(a[i]) - static_cast<double>(b[i]));
  const double error = norm(difference) / (norm(b) + least);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

/// The worst error over tensors, and which tensor has it.
struct WorstError {
  double error = 0;
  std::string tensor = "none";

  void add(const std::string& name, double of_tensor) {
    if (of_tensor > error) *this = {of_tensor, name};
  }
};

/// What a training step of an engine gives: the sum of the losses and all gradients of scale times that sum.
template <class T>
struct Gradients {
  double loss = 0;
  std::vector<T> parameters, input;  // the arena; [rows][input]
};

Gradients<float> gradients_of(const AnyEngine<float>& engine, const Batch<float>& problem, float scale);
Gradients<double> gradients_of(const AnyEngine<double>& engine, const Batch<double>& problem, double scale);
template <class T, class Engine, class Loss>
Gradients<T> gradients_of(Engine& engine, const Batch<T>& problem, const Loss& loss, T scale) {
  return gradients_of(any_engine<T>(engine, loss), problem, scale);
}

template <class T, class Engine>
std::vector<T> outputs_of(Engine& engine, const Batch<T>& problem) {
  std::vector<T> y(problem.rows * problem.outputs);
  engine.forward(problem.parameters.data(), problem.x.data(), problem.rows, y.data());
  return y;
}

/// The part of an arena that is parameter p.
template <class T>
std::vector<T> tensor_of(const sinter::internal::Parameter& p, const std::vector<T>& arena) {
  return std::vector<T>(arena.begin() + p.offset, arena.begin() + p.offset + p.size);
}

/// "layers: Linear Tanh Linear", for messages.
std::string layers_of(const AnyModel& model);

/// Compares all gradients and the loss of two engines, or of one in float and in double.
template <class A, class B>
WorstError compare(const AnyModel& model, const Gradients<A>& a, const Gradients<B>& b);
template <class Model, class A, class B>
WorstError compare(const Gradients<A>& a, const Gradients<B>& b) {
  return compare(any_model<Model>(), a, b);
}

/// Outputs, loss and all gradients of an engine, in T, against the reference in double.
WorstError error_against(const AnyEngine<double>& reference, const AnyEngine<float>& engine,
                         const Batch<double>& problem);
WorstError error_against(const AnyEngine<double>& reference, const AnyEngine<double>& engine,
                         const Batch<double>& problem);

/// Loss and gradients of the parameters alone.
WorstError parameters_error_against(const AnyEngine<double>& reference, const AnyEngine<float>& engine,
                                    const Batch<double>& problem);
WorstError parameters_error_against(const AnyEngine<double>& reference, const AnyEngine<double>& engine,
                                    const Batch<double>& problem);

/// Checks an engine's gradients of scale times the sum of the losses by central differences, (L(p + h) - L(p - h)) / 2h
/// with h = 1e-6, of its own losses: over the parameters and the input, of each tensor at most `most` elements drawn at
/// random. Use a smooth_problem. Also checks, as an infinite error, that gradients are added to what is there, that
/// nothing is added between the tensors, and that the gradient of the input is overwritten.
WorstError gradient_check(const AnyEngine<double>& engine, const Batch<double>& problem, double scale,
                          std::size_t most = 100);
template <class Engine, class Loss>
WorstError gradient_check(Engine& engine, const Batch<double>& problem, const Loss& loss, double scale,
                          std::size_t most = 100) {
  return gradient_check(any_engine<double>(engine, loss), problem, scale, most);
}

}  // namespace sinter_test

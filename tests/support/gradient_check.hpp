// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
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

template <class Model, class T, class Engine, class Loss>
Gradients<T> gradients_of(Engine& engine, const Problem<Model, T>& problem, const Loss& loss, T scale) {
  Gradients<T> g{0, std::vector<T>(problem.parameters.size()), std::vector<T>(problem.x.size())};
  g.loss = engine.accumulate(problem.parameters.data(), problem.x.data(), problem.rows, problem, problem.samples.data(),
                             problem.key, scale, loss, g.parameters.data(), g.input.data());
  return g;
}

/// The part of an arena that is parameter p.
template <class T>
std::vector<T> tensor_of(const sinter::Parameter& p, const std::vector<T>& arena) {
  return std::vector<T>(arena.begin() + p.offset, arena.begin() + p.offset + p.size);
}

/// Compares all gradients and the loss of two engines, or of one in float and in double.
template <class Model, class A, class B>
WorstError compare(const Gradients<A>& a, const Gradients<B>& b) {
  WorstError worst;
  worst.add("loss", norm_error(std::vector{a.loss}, std::vector{b.loss}));
  for (const auto& p : sinter::Program<Model>::parameters)
    worst.add(p.name(), norm_error(tensor_of(p, a.parameters), tensor_of(p, b.parameters)));
  worst.add("input", norm_error(a.input, b.input));
  return worst;
}

/// Checks an engine's gradients of scale times the sum of the losses by central differences, (L(p + h) - L(p - h)) / 2h
/// with h = 1e-6, of its own losses: over the parameters and the input, of each tensor at most `most` elements drawn at
/// random. Use a smooth_problem. Also checks, as an infinite error, that gradients are added to what is there, that
/// nothing is added between the tensors, and that the gradient of the input is overwritten.
template <class Model, class Engine, class Loss>
WorstError gradient_check(Engine& engine, const Problem<Model>& problem, const Loss& loss, double scale,
                          std::size_t most = 100) {
  constexpr double h = 1e-6, before = 0.25, poison = std::numeric_limits<double>::quiet_NaN();
  Problem<Model> varied = problem;
  std::vector<double> scratch(problem.parameters.size());
  const auto loss_at = [&] {
    return scale * engine.accumulate(varied.parameters.data(), varied.x.data(), varied.rows, varied,
                                     varied.samples.data(), varied.key, scale, loss, scratch.data(), nullptr);
  };

  std::vector<double> gradient(problem.parameters.size(), before), input_gradient(problem.x.size(), poison);
  engine.accumulate(problem.parameters.data(), problem.x.data(), problem.rows, problem, problem.samples.data(),
                    problem.key, scale, loss, gradient.data(), input_gradient.data());
  for (double& g : gradient) g -= before;

  WorstError worst;
  Draw draw(static_cast<unsigned>(problem.rows));
  const auto check = [&](const std::string& name, double* varying, const double* given, std::size_t size) {
    std::vector<std::size_t> chosen(size);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    for (std::size_t i = 0; i < std::min(most, size); ++i) std::swap(chosen[i], chosen[i + draw.below(size - i)]);
    chosen.resize(std::min(most, size));

    std::vector<double> analytic, numeric;
    for (const std::size_t i : chosen) {
      const double at = varying[i];
      varying[i] = at + h;
      const double above = loss_at();
      varying[i] = at - h;
      const double below = loss_at();
      varying[i] = at;
      analytic.push_back(given[i]);
      numeric.push_back((above - below) / ((at + h) - (at - h)));  // the step that was really made
    }
    worst.add(name, norm_error(analytic, numeric));
  };
  for (const auto& p : sinter::Program<Model>::parameters) {
    check(p.name(), varied.parameters.data() + p.offset, gradient.data() + p.offset, static_cast<std::size_t>(p.size));
    std::fill_n(gradient.begin() + p.offset, p.size, 0.0);
  }
  check("input", varied.x.data(), input_gradient.data(), varied.x.size());
  for (const double g : gradient)
    if (g != 0) worst.add("the gap between parameters", std::numeric_limits<double>::infinity());
  return worst;
}

}  // namespace sinter_test

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/core/pack.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/check.hpp"
#include "sinter/fn/apply.hpp"
#include "sinter/fn/functor_checks.hpp"
#include "sinter/kernels/reference/engine.hpp"
#include "sinter/loss/probe.hpp"
#include "sinter/loss/supplied.hpp"
#include "sinter/loss/target.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/network.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/check_loss.hpp"
#include "sinter/train/gradient_check.hpp"
#include "sinter/train/row_functor_probe.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

inline constexpr int lanes_checked = 2;
using CheckedPack = Pack<double, lanes_checked>;
inline constexpr const char* wrong_functor = "a functor is wrong: ";

inline void check_size_of_rows(int outputs) {
  if (outputs < 1) fail("check_gradient was given outputs = " + std::to_string(outputs) + "; give 1 or more");
}

template <class F>
GradientCheck check_functor(const GradientCheckOptions& options) {
  // A function of floats alone has the digits of floats: their differences have half as many.
  constexpr bool doubles = !fn::AcceptsForward<F, float> || fn::AcceptsForward<F, double>;
  GradientChecker checker(options, doubles ? options.tolerance : std::max(options.tolerance, 1e-2));
  const std::string name = fn::name_of<F>;
  for (int i = 0; i < 200; ++i) {
    CheckedPack saved, dy;
    double given[lanes_checked];
    for (int lane = 0; lane < lanes_checked; ++lane) {
      double x = checker.draw(-4, 4);
      const double g = checker.draw(0.5, 2), y = fn::forward<F>(x);
      const double slope = GradientChecker::slope(x, [&] { return fn::forward<F>(x); }, doubles ? 1e-6 : 1e-2);
      saved.set(lane, F::backward_reads_output ? y : x);
      dy.set(lane, g);
      given[lane] = fn::backward<F>(saved[lane], g);
      checker.add(given[lane], g * slope, [&] {
        return "the backward of " + name + " at x = " + exact_text(x) + " with dy = " + exact_text(g);
      });
    }
    const CheckedPack dx = fn::backward<F>(saved, dy);
    for (int lane = 0; lane < lanes_checked; ++lane)
      checker.add(dx[lane], given[lane],
                  [&] { return "the backward of " + name + " in a pack, compared with a single number"; });
  }
  return checker.worst();
}

template <class F>
GradientCheck check_row_functor(const GradientCheckOptions& options) {
  GradientChecker checker(options, options.tolerance);
  const int n = options.outputs.value_or(5);
  check_size_of_rows(n);
  if (const std::string fault = RowFunctorProbe<F>(n).fault(); !fault.empty())
    return checker.failed(wrong_functor + fault);
  const auto size = static_cast<std::size_t>(n);
  for (std::size_t row = 0; row < options.rows; ++row) {
    std::vector<double> x = checker.draw_all(size, -2, 2), y(size), dx = checker.draw_all(size, 0.5, 2);
    const std::vector<double> dy = dx;
    std::vector<CheckedPack> lanes(size, CheckedPack(0)), dx_of_lanes(size, CheckedPack(0)), y_of_lanes(size);
    const auto total = [&] {
      F::forward(static_cast<const double*>(x.data()), y.data(), n);
      return std::inner_product(y.begin(), y.end(), dy.begin(), 0.0);
    };
    total();
    F::backward(static_cast<const double*>(y.data()), dx.data(), n);
    for (std::size_t i = 0; i < size; ++i) lanes[i].set(0, x[i]), dx_of_lanes[i].set(0, dy[i]);
    F::forward(static_cast<const CheckedPack*>(lanes.data()), y_of_lanes.data(), n);
    F::backward(static_cast<const CheckedPack*>(y_of_lanes.data()), dx_of_lanes.data(), n);
    for (std::size_t i = 0; i < size; ++i) {
      const auto where = [&](const char* function, const char* what) {
        return joined({"the ", function, " of ", fn::name_of<F>, ", number ", std::to_string(i), what});
      };
      checker.add(y_of_lanes[i][0], y[i], [&] { return where("forward", " in a pack, compared with a single row"); });
      checker.add(dx_of_lanes[i][0], dx[i],
                  [&] { return where("backward", " in a pack, compared with a single row"); });
    }
    for (std::size_t i = 0; i < size; ++i)
      checker.add(dx[i], GradientChecker::slope(x[i], total), [&] {
        return joined({"the backward of ", fn::name_of<F>, ", number ", std::to_string(i), " of row ",
                       std::to_string(row), ", x = ", exact_text(x[i]), ", dy = ", exact_text(dy[i])});
      });
  }
  return checker.worst();
}

template <class Loss>
GradientCheck check_loss_gradient(const Loss& loss, const GradientCheckOptions& options) {
  constexpr bool classes = std::is_same_v<typename Loss::Target, ClassTarget>;
  check_options(loss);
  int said = 0;
  if constexpr (requires { Loss::classes; }) said = Loss::classes;
  if constexpr (LabelsPositions<Loss>) said = Loss::target_size * Loss::classes_of_position;
  if constexpr (outputs_read<Loss> != 0) said = outputs_read<Loss>;
  const std::string name = name_of_loss<Loss>();
  const int n = options.outputs.value_or(said != 0 ? said : 5);
  check_size_of_rows(n);
  if (said != 0 && n != said)
    fail("check_gradient was given outputs = " + std::to_string(n) + " for " + name + ", which reads " +
         std::to_string(said) + "; leave out that option, or correct what the loss says");
  const auto size = static_cast<std::size_t>(n), targets = static_cast<std::size_t>(target_size<Loss>(n));
  GradientChecker checker(options, options.tolerance);
  if (const std::string fault = fault_on_rows<double>(loss, n, target_size<Loss>(n)); !fault.empty())
    return checker.failed("the loss is wrong: " + fault);
  const auto draw_target = [&] {
    if constexpr (LabelsPositions<Loss>)
      return std::floor(checker.draw(0, Loss::classes_of_position));
    else
      return checker.draw(0, 1);
  };
  std::vector<CheckedPack> y_of_lanes(size), target_of_lanes(targets), dy_of_lanes(size, CheckedPack(0));
  for (std::size_t row = 0; row < options.rows; ++row) {
    std::vector<double> y = checker.draw_all(size, -2, 2), target(targets);
    std::ranges::generate(target, draw_target);
    // A backward that forgets its scale is wrong in all rows except those where it is 1.
    const double label = static_cast<double>(row % size), scale = checker.draw(0.25, 0.75);
    const auto call = [&](const auto& function) {
      if constexpr (classes)
        return function(label);
      else
        return function(static_cast<const double*>(target.data()));
    };
    const auto forward = [&] {
      return call([&](auto wanted) { return loss.forward(static_cast<const double*>(y.data()), n, wanted); });
    };
    std::vector<double> dy(size, std::numeric_limits<double>::quiet_NaN());
    call([&](auto wanted) { loss.backward(static_cast<const double*>(y.data()), n, wanted, scale, dy.data()); });
    for (std::size_t i = 0; i < size; ++i)
      checker.add(dy[i], scale * GradientChecker::slope(y[i], forward), [&] {
        return "the backward of " + name + ", output " + std::to_string(i) + " of row " + std::to_string(row) +
               (classes ? ", label " + exact_text(label) : "") + ", y = " + exact_text(y[i]) +
               ", scale = " + exact_text(scale);
      });
    // The same row in the first lane of packs, others beside it.
    for (int lane = 0; lane < lanes_checked; ++lane) {
      for (std::size_t i = 0; i < size; ++i) y_of_lanes[i].set(lane, lane == 0 ? y[i] : checker.draw(-2, 2));
      for (std::size_t i = 0; i < targets; ++i) target_of_lanes[i].set(lane, lane == 0 ? target[i] : draw_target());
    }
    const CheckedPack* const lanes = y_of_lanes.data();
    if constexpr (classes) {
      CheckedPack labels(0);
      labels.set(0, label);
      loss.backward(lanes, n, labels, CheckedPack(scale), dy_of_lanes.data());
    } else {
      loss.backward(lanes, n, static_cast<const CheckedPack*>(target_of_lanes.data()), CheckedPack(scale),
                    dy_of_lanes.data());
    }
    for (std::size_t i = 0; i < size; ++i)
      checker.add(dy_of_lanes[i][0], dy[i], [&] {
        return "the backward of " + name + ", output " + std::to_string(i) + " in a pack, compared with a single row";
      });
  }
  return checker.worst();
}

/// total = sum of r y over rows and outputs, by weights r: so dy is r.
template <class Model>
GradientCheck check_model_gradient(std::vector<double> x, const GradientCheckOptions& options) {
  using Ops = Program<Model>;
  constexpr auto inputs = static_cast<std::size_t>(Ops::input.size()),
                 outputs = static_cast<std::size_t>(Ops::output.size());
  GradientChecker checker(options, options.tolerance);
  if (const std::string fault = fault_of_row_functors<Ops>(); !fault.empty())
    return checker.failed(wrong_functor + fault);
  const std::size_t rows = x.size() / inputs;
  if (rows == 0) fail("check_gradient was given 0 rows of inputs; give 1 or more");
  Network<Model, Reference, Float64> net{{.seed = options.seed}};
  double* const parameters = net.data();
  for (const Parameter& p : Ops::parameters)  // away from where biases of 0 leave an input of 0 at a kink
    for (int i = 0; i < p.size; ++i) parameters[p.offset + i] += checker.draw(-0.1, 0.1);
  std::vector<std::uint32_t> samples(rows);
  for (std::size_t row = 0; row < rows; ++row) samples[row] = static_cast<std::uint32_t>(row);
  const Tensor<double, typename Model::OutputRow> dy(checker.draw_all(rows * outputs, -1, 1));
  const TensorView<const double, typename Model::OutputRow> targets = dy.view();
  const MaskKey key{options.seed, 0};
  ReferenceEngine<Model, double> engine;
  std::vector<double> y(rows * outputs), gradient(static_cast<std::size_t>(Ops::arena_size)), dx(x.size());
  const auto total = [&] {
    engine.forward_kept(parameters,
                        TrainingBatch{.inputs = static_cast<const double*>(x.data()),
                                      .rows = rows,
                                      .targets = targets,
                                      .samples = samples.data(),
                                      .key = key},
                        y.data());
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += dy.data()[i] * y[i];
    return sum;
  };
  engine.accumulate(parameters,
                    TrainingBatch{.inputs = static_cast<const double*>(x.data()),
                                  .rows = rows,
                                  .targets = targets,
                                  .samples = samples.data(),
                                  .key = key},
                    SuppliedGradient{}, GradientSum<double, double*>{1, gradient.data(), dx.data(), 0});
  const auto check = [&](const std::string& name, double* numbers, const double* given, std::size_t size) {
    for (std::size_t k = 0; k < std::min(size, options.most); ++k) {
      const std::size_t i =
          size <= options.most ? k : static_cast<std::size_t>(checker.draw(0, static_cast<double>(size)));
      checker.add(given[i], GradientChecker::slope(numbers[i], total),
                  [&] { return "the gradient of " + name + ", element " + std::to_string(i); });
    }
  };
  for (const Parameter& p : Ops::parameters)
    check(std::string(p.name), parameters + p.offset, gradient.data() + p.offset, static_cast<std::size_t>(p.size));
  constexpr bool numbers = std::ranges::none_of(Ops::ops, [](const Op& op) { return op.kind == OpKind::lookup; });
  if (numbers) check("the input", x.data(), dx.data(), x.size());
  return checker.worst();
}

}  // namespace detail

/// Compares the backward of a loss, or of the functor of an activation or of whole rows, with central differences of
/// its forward, in double, and as a pack with one number alone:
///
///     const GradientCheck check = check_gradient(Focal{});
///     if (!check) std::printf("%s\n", check.text().c_str());
///
/// The points are drawn at random: outputs and inputs of both signs, targets between 0 and 1.
template <class T>
GradientCheck check_gradient(const T& loss, const GradientCheckOptions& options = {}) {
  if constexpr (detail::names_target<T>) {
    constexpr bool of_one_output = heads_of_loss<T> == 0;
    static_assert(of_one_output, "sinter: check_gradient takes the loss of one output; check that of each head alone");
    if constexpr (of_one_output)
      if constexpr (check_is_loss<T, double>()) return detail::check_loss_gradient(loss, options);
  } else {
    constexpr bool functor = detail::IsFunctor<T>, of_rows = !functor && detail::IsRowFunctor<T>;
    static_assert(functor || of_rows,
                  "sinter: check_gradient takes a loss or the functor of an activation; of a model it is "
                  "check_gradient<Net>(), and of a layer that of a model with it");
    if constexpr (functor) return detail::check_functor<T>(options);
    if constexpr (of_rows) return detail::check_row_functor<T>(options);
  }
  return {};
}

/// The same of a model: of its parameters and inputs, by the device Reference, at random weights, in training mode.
template <class ModelType, class Model = detail::ModelOf<ModelType>>
GradientCheck check_gradient(const GradientCheckOptions& options = {}) {
  using Ops = Program<Model>;
  constexpr bool numbers = std::ranges::none_of(Ops::ops, [](const Op& op) { return op.kind == OpKind::lookup; });
  static_assert(
      numbers,
      "sinter: a network with an Embedding reads row numbers: give check_gradient some, check_gradient<Net>(x)");
  detail::check_options(options);
  detail::GradientChecker checker({.seed = options.seed + 1}, 0);
  return detail::check_model_gradient<Model>(
      checker.draw_all(options.rows * static_cast<std::size_t>(Ops::input.size()), -2, 2), options);
}
/// At rows of the caller's.
template <class ModelType, class T, class Model = detail::ModelOf<ModelType>>
GradientCheck check_gradient(const Tensor<T, typename ModelType::InputRow>& x,
                             const GradientCheckOptions& options = {}) {
  check_finite(x.view());
  return detail::check_model_gradient<Model>({x.values().begin(), x.values().end()}, options);
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::check_gradient;
}  // namespace sinter

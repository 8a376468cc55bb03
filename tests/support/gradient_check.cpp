// SPDX-License-Identifier: MIT
#include "support/gradient_check.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "support/sanitized.hpp"

namespace sinter_test {

namespace {

template <class T>
Gradients<T> all_gradients(const AnyEngine<T>& engine, const Batch<T>& problem, T scale) {
  Gradients<T> g{0, std::vector<T>(problem.parameters.size()), std::vector<T>(problem.x.size())};
  g.loss = engine.accumulate(problem, scale, g.parameters.data(), g.input.data());
  return g;
}

}  // namespace

Gradients<float> gradients_of(const AnyEngine<float>& engine, const Batch<float>& problem, float scale) {
  return all_gradients(engine, problem, scale);
}
Gradients<double> gradients_of(const AnyEngine<double>& engine, const Batch<double>& problem, double scale) {
  return all_gradients(engine, problem, scale);
}

template <class A, class B>
WorstError compare(const AnyModel& model, const Gradients<A>& a, const Gradients<B>& b) {
  WorstError worst;
  worst.add("loss", norm_error(std::vector{a.loss}, std::vector{b.loss}));
  for (const auto& p : model.parameters)
    worst.add(std::string(p.name), norm_error(tensor_of(p, a.parameters), tensor_of(p, b.parameters)));
  worst.add("input", norm_error(a.input, b.input));
  return worst;
}
template WorstError compare(const AnyModel&, const Gradients<float>&, const Gradients<float>&);
template WorstError compare(const AnyModel&, const Gradients<float>&, const Gradients<double>&);
template WorstError compare(const AnyModel&, const Gradients<double>&, const Gradients<double>&);

namespace {

/// The loss of a random gradient may be next to 0: its error is taken of the number of rows besides.
template <class T>
WorstError judge(const AnyModel& model, Gradients<T> got, const Gradients<double>& want, std::size_t rows) {
  WorstError worst;
  worst.add("loss", norm_error(std::vector{got.loss}, std::vector{want.loss}, static_cast<double>(rows)));
  got.loss = want.loss;
  const WorstError gradients = compare(model, got, want);
  worst.add(gradients.tensor, gradients.error);
  return worst;
}
template <class T>
WorstError whole_error(const AnyEngine<double>& reference, const AnyEngine<T>& engine, const Batch<double>& problem) {
  const Batch<T> own(problem);
  const double scale = 1.0 / static_cast<double>(problem.rows);
  WorstError worst = judge(problem.model, gradients_of(engine, own, static_cast<T>(scale)),
                           gradients_of(reference, problem, scale), problem.rows);
  worst.add("output", norm_error(outputs_of(engine, own), outputs_of(reference, problem)));
  return worst;
}
template <class T>
WorstError parameters_error(const AnyEngine<double>& reference, const AnyEngine<T>& engine,
                            const Batch<double>& problem) {
  const double scale = 1.0 / static_cast<double>(problem.rows);
  auto got = gradients_of(engine, Batch<T>(problem), static_cast<T>(scale));
  auto want = gradients_of(reference, problem, scale);
  got.input.clear();
  want.input.clear();
  return judge(problem.model, std::move(got), want, problem.rows);
}

}  // namespace

WorstError error_against(const AnyEngine<double>& reference, const AnyEngine<float>& engine,
                         const Batch<double>& problem) {
  return whole_error(reference, engine, problem);
}
WorstError parameters_error_against(const AnyEngine<double>& reference, const AnyEngine<float>& engine,
                                    const Batch<double>& problem) {
  return parameters_error(reference, engine, problem);
}
WorstError error_against(const AnyEngine<double>& reference, const AnyEngine<double>& engine,
                         const Batch<double>& problem) {
  return whole_error(reference, engine, problem);
}
WorstError parameters_error_against(const AnyEngine<double>& reference, const AnyEngine<double>& engine,
                                    const Batch<double>& problem) {
  return parameters_error(reference, engine, problem);
}

std::string layers_of(const AnyModel& model) {
  std::string text = "layers:";
  for (const char* name : model.layer_names) text += std::string(" ") + name;
  return text;
}

WorstError gradient_check(const AnyEngine<double>& engine, const Batch<double>& problem, double scale,
                          std::size_t most) {
  constexpr double h = 1e-6, before = 0.25, poison = std::numeric_limits<double>::quiet_NaN();
  Batch<double> varied = problem;
  std::vector<double> scratch(problem.parameters.size());
  const auto loss_at = [&] { return scale * engine.accumulate(varied, scale, scratch.data(), nullptr); };

  std::vector<double> gradient(problem.parameters.size(), before), input_gradient(problem.x.size(), poison);
  engine.accumulate(problem, scale, gradient.data(), input_gradient.data());
  for (double& g : gradient) g -= before;
  if (sanitized) {  // one pass without a gradient of the input shows them all that the differences would
    loss_at();
    most = 0;
  }

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
  for (const auto& p : problem.model.parameters) {
    check(std::string(p.name), varied.parameters.data() + p.offset, gradient.data() + p.offset,
          static_cast<std::size_t>(p.size));
    std::fill_n(gradient.begin() + p.offset, p.size, 0.0);
  }
  check("input", varied.x.data(), input_gradient.data(), varied.x.size());
  for (const double g : gradient)
    if (g != 0) worst.add("the gap between parameters", std::numeric_limits<double>::infinity());
  return worst;
}

}  // namespace sinter_test

// SPDX-License-Identifier: MIT
#include "support/pytorch_layers.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace sinter_test {
namespace {

/// The name of a parameter in the fixtures: as it is, or of a single layer without its number.
std::string stored_name(const Safetensors& all, const std::string& name, std::string_view parameter) {
  const std::string whole(parameter);
  return all.has(name + "." + whole) ? whole : whole.substr(whole.find('.') + 1);
}

template <class T>
WorstError error_of_layer(const AnyModel& model, const AnyEngine<T>& engine, const Safetensors& all,
                          const std::string& name) {
  const auto y = all.values<T>(name + ".y"), dy = all.values<T>(name + ".dy");
  const std::size_t rows = all[name + ".x"].shape[0];
  Batch<T> problem{Batch<double>(model, rows, 1)};
  REQUIRE(all[name + ".x"].values.size() == problem.x.size());
  REQUIRE(y.size() == problem.wanted.size());
  problem.x = all.values<T>(name + ".x");
  problem.wanted = dy;
  for (const auto& p : model.parameters) {
    const auto from = all.values<T>(name + "." + stored_name(all, name, p.name));
    REQUIRE(from.size() == static_cast<std::size_t>(p.size));
    std::copy(from.begin(), from.end(), problem.parameters.begin() + p.offset);
  }

  const auto output = outputs_of(engine, problem);
  const auto g = gradients_of(engine, problem, T(1));

  // After a saturated softmax, floats do not hold the rest of dy: the error is then relative to dy.
  const double least = sizeof(T) == 4 ? norm(dy) / 10 : 1e-12;
  WorstError worst;
  worst.add("y", norm_error(output, y));
  worst.add("dx", norm_error(g.input, all.values<T>(name + ".dx"), least));
  for (const auto& p : model.parameters)
    worst.add(std::string(p.name),
              norm_error(tensor_of(p, g.parameters), all.values<T>(name + ".d" + stored_name(all, name, p.name))));
  return worst;
}

template <class T>
WorstError error_of_loss(const AnyModel& model, const AnyEngine<T>& engine, const Safetensors& all,
                         const std::string& name) {
  const std::size_t rows = all[name + ".x"].shape[0];
  Batch<T> problem{Batch<double>(model, rows, 1)};
  REQUIRE(all[name + ".x"].values.size() == problem.x.size());
  problem.x = all.values<T>(name + ".x");
  if (all.has(name + ".target"))
    problem.wanted = all.values<T>(name + ".target");
  else
    problem.labels = all.values<int>(name + ".labels");

  const auto g = gradients_of(engine, problem, T(1) / static_cast<T>(rows));
  WorstError worst;
  worst.add("loss", norm_error(std::vector{g.loss / static_cast<double>(rows)}, all.values<double>(name + ".loss")));
  worst.add("dx", norm_error(g.input, all.values<T>(name + ".dx")));
  return worst;
}

}  // namespace

WorstError layer_error(const AnyModel& model, const AnyEngine<float>& engine, const Safetensors& all,
                       const std::string& name) {
  return error_of_layer(model, engine, all, name);
}
WorstError loss_error(const AnyModel& model, const AnyEngine<float>& engine, const Safetensors& all,
                      const std::string& name) {
  return error_of_loss(model, engine, all, name);
}
WorstError layer_error(const AnyModel& model, const AnyEngine<double>& engine, const Safetensors& all,
                       const std::string& name) {
  return error_of_layer(model, engine, all, name);
}
WorstError loss_error(const AnyModel& model, const AnyEngine<double>& engine, const Safetensors& all,
                      const std::string& name) {
  return error_of_loss(model, engine, all, name);
}

}  // namespace sinter_test

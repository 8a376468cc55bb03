// SPDX-License-Identifier: MIT
// Which depth is faster on which device: perceptrons of 2 to 12 layers from one list of types, on the disc problem.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <tuple>
#include <vector>

#include "support/arguments.hpp"
#include "support/devices.hpp"
#include "support/write_chart.hpp"

using namespace sinter;

// [networks]
template <class Layers, int Width, int Left>  // .., Linear<4>, ReLU, Linear<8>, ReLU, .., Linear<2>
struct Deeper;
template <class... Layers, int Width>
struct Deeper<Sequential<Layers...>, Width, 0> {
  using Type = Sequential<Layers..., Linear<2>>;
};
template <class... Layers, int Width, int Left>
struct Deeper<Sequential<Layers...>, Width, Left>
    : Deeper<Sequential<Layers..., Linear<Width>, ReLU>, 2 * Width, Left - 1> {};

template <int Depth>  // the number of linear layers
struct Net : Deeper<Sequential<Input<2>>, 4, Depth - 1>::Type {
  static constexpr int depth = Depth;
};
using Nets = std::tuple<Net<2>, Net<3>, Net<4>, Net<5>, Net<6>, Net<7>, Net<8>, Net<9>, Net<10>, Net<11>, Net<12>>;
// [/networks]

struct Measured {
  int depth;
  long long parameters;
  double seconds, accuracy;
};
struct Sweep {
  std::string device;
  std::vector<Measured> rows;
};

template <class Model, class Device>
Measured measure(const Device& device, int epochs) {
  const auto train = disc(1000, 1), test = disc(1000, 2);
  Network<Model, Device> net{device, {.seed = 1, .initialization = Initialization::xavier_uniform}};
  const History history = fit(net, train, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 100, .epochs = epochs});
  double seconds = 0;
  for (const EpochRecord& epoch : history.epochs) seconds += epoch.seconds;
  return {Model::depth, summary_of<Model>.parameters, seconds, score(net, test)};
}

template <class Device>
DeviceRun sweep(const Device& device, int most, int epochs, std::vector<Sweep>& sweeps) {
  Sweep all{Device::name, {}};
  std::printf("%-10s %7s %12s %12s %12s\n", Device::name, "layers", "parameters", "seconds", "accuracy, %");
  const auto one = [&]<class Model>(const Model&) {
    if (Model::depth > most) return;
    const Measured row = measure<Model>(device, epochs);
    std::printf("%-10s %7d %12lld %12.4f %12.1f\n", "", row.depth, row.parameters, row.seconds, 100 * row.accuracy);
    all.rows.push_back(row);
  };
  std::apply([&](const auto&... models) { (one(models), ...); }, Nets{});
  double seconds = 0;
  for (const Measured& row : all.rows) seconds += row.seconds;
  sweeps.push_back(all);
  return {seconds, true};
}

/// The size from which on the second device is faster.
void print_crossover(const Sweep& a, const Sweep& b) {
  for (std::size_t i = 0; i < std::min(a.rows.size(), b.rows.size()); ++i)
    if (b.rows[i].seconds < a.rows[i].seconds) {
      std::printf("%s is faster than %s from %lld parameters on\n", b.device.c_str(), a.device.c_str(),
                  a.rows[i].parameters);
      return;
    }
  std::printf("%s is faster than %s at every depth\n", a.device.c_str(), b.device.c_str());
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string device = arguments.get("--device", "host", device_choices);
  const int threads = arguments.get("--threads", default_threads(), 1, "threads of the host");
  const int most = arguments.get("--layers", 12, 2, "linear layers of the deepest network");
  const int epochs = arguments.get("--epochs", 100, 1, "times through the 1,000 points");
  const std::string svg = arguments.get("--svg", "", "write the chart to this file");
  arguments.finish();
  check_device(arguments, device);

  std::vector<Sweep> sweeps;
  const int result = on_devices(device, threads, [&](const auto& on) { return sweep(on, most, epochs, sweeps); });
  for (std::size_t i = 1; i < sweeps.size(); ++i) print_crossover(sweeps[0], sweeps[i]);

  Chart::Panel panel{.title = std::to_string(epochs) + " epochs of 1,000 points", .curves = {}};
  panel.x_title = "parameters", panel.y_title = "seconds", panel.log_x = panel.log_y = true, panel.width = 800;
  for (const Sweep& one : sweeps) {
    Chart::Curve curve{one.device, chart_color(panel.curves.size()), {}};
    for (const Measured& row : one.rows) curve.points.push_back({double(row.parameters), row.seconds});
    panel.curves.push_back(curve);
  }
  write_chart(Chart{"The disc problem: time by size", {panel}}, svg);
  return result;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

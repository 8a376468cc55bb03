// SPDX-License-Identifier: MIT
// Regression from a table: columns of a CSV file by name, a fraction held out, errors in the unit of the target.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

#include "support/arguments.hpp"
#include "support/devices.hpp"
#include "support/write_chart.hpp"

#include <sinter/data/csv.hpp>

using namespace sinter;

struct Net : Sequential<Input<3>, Linear<32>, Tanh, Linear<32>, Tanh, Linear<1>> {};

/// Writes a synthetic table, the speed of falling bodies with drag and some noise, so that the example runs without a file.
void write_falls(const std::string& path) {
  std::string text = "mass,drag,seconds,speed\n";
  for (int i = 0; i < 600; ++i) {
    const double mass = 1 + i % 7, drag = 0.1 + 0.05 * (i % 11), seconds = 0.2 * (i % 23) + 0.1;
    const double final_speed = mass * 9.81 / drag, noise = 0.2 * std::sin(12.9898 * i);
    char line[128];
    std::snprintf(line, sizeof line, "%g,%g,%g,%.3f\n", mass, drag, seconds,
                  final_speed * (1 - std::exp(-drag * seconds / mass)) + noise);
    text += line;
  }
  write_file(path, text);
}

template <class Device, class Data>
DeviceRun train(const Device& device, const Split<Data>& parts, int epochs, Chart::Panel& panel) {
  Network<Net, Device> net{device, {.seed = 1}};
  const History history = fit(net, parts.train, MSELoss{}, Adam{.lr = 0.005},
                              {.batch_size = 32, .epochs = epochs, .validation = &parts.held_out});
  // [errors]
  const RegressionMetrics errors = regression(net, parts.held_out);
  // [/errors]
  std::printf("%s: held out: mean absolute error %.3f, root mean square %.3f, R2 %.4f\n", Device::name,
              errors.mean_absolute_error, errors.root_mean_squared_error, errors.r2);
  Chart::Curve curve{Device::name, chart_color(panel.curves.size()), {}};
  double seconds = 0;
  for (const EpochRecord& epoch : history.epochs) {
    curve.points.push_back({double(epoch.epoch), epoch.validation_loss});
    seconds += epoch.seconds;
  }
  panel.curves.push_back(curve);
  return {seconds, history.stopped.empty()};
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  std::string path =
      arguments.get("--csv", "", "a table with the columns mass, drag, seconds and speed; by default one is made");
  const std::string device = arguments.get("--device", "host", device_choices);
  const int epochs = arguments.get("--epochs", 100, 1, "times through the rows");
  const std::string svg = arguments.get("--svg", "", "write the curve to this file");
  arguments.finish();
  check_device(arguments, device);

  if (path.empty()) write_falls(path = "falls.csv");
  // [table]
  const CsvTable table = read_csv(path);
  const auto x = table.numbers({"mass", "drag", "seconds"}, {.missing = NAN});  // what is missing becomes the mean
  const auto y = table.numbers({"speed"});
  auto parts = random_split(dataset(x, y), 0.2, 1);
  const NormalizeColumns columns = standardise(parts.train);
  columns.apply(parts.train);
  columns.apply(parts.held_out);
  // [/table]
  std::printf("%zu rows of %zu columns\n", table.rows(), table.columns().size());

  Chart::Panel panel{.title = "squared error of the rows held out", .curves = {}};
  panel.y_title = "squared error", panel.log_y = true, panel.width = 800;
  const int result = on_devices(device, 1, [&](const auto& on) { return train(on, parts, epochs, panel); });
  write_chart(Chart{"The speed of a falling body", {panel}}, svg);
  return result;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

// SPDX-License-Identifier: MIT
// Handwritten digits on each available device: losses during training, test results, and where the time goes. --help
// lists the options.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "support/arguments.hpp"
#include "support/devices.hpp"
#include "support/digits.hpp"
#include "support/write_chart.hpp"

using namespace sinter;

struct LeNet : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU,  // 10 x 12 x 12
                          Conv2d<20, 5>, Dropout2d<0.5>, MaxPool2d<2>, ReLU,    // 20 x 4 x 4
                          Flatten, Linear<50>, ReLU, Dropout<0.5>, Linear<10>, LogSoftmax> {};

/// The times of a device.
struct Times {
  std::string device;
  std::vector<double> epochs;
  double test = 0;
  double training() const {
    double sum = 0;
    for (const double seconds : epochs) sum += seconds;
    return sum;
  }
};

// [callback]
/// A callback of fit(): after each epoch its losses by intervals, and the test set.
template <class Net>
struct Lines {
  const Net& net;
  const Mnist::Data& test;
  Times& times;

  bool on_epoch_end(const EpochRecord& epoch, const History& history) {
    for (; shown < history.intervals.size(); ++shown) {
      const IntervalRecord& line = history.intervals[shown];
      std::printf("epoch %d [%5zu/%zu]  loss %.6f\n", line.epoch, line.samples, history.samples_per_epoch, line.loss);
    }
    const double begin = monotonic_seconds();
    const auto [loss, accuracy] = evaluate(net, test, NLLLoss{});
    const double seconds = monotonic_seconds() - begin;
    std::printf("test set: average loss %.4f, accuracy %.0f/%zu (%.2f %%); epoch %.3f s, test %.3f s\n\n", loss,
                accuracy * static_cast<double>(test.size()), test.size(), 100 * accuracy, epoch.seconds, seconds);
    times.epochs.push_back(epoch.seconds);
    times.test += seconds;
    return true;
  }
  std::size_t shown = 0;
};
// [/callback]

Chart draw(const std::vector<Times>& all) {
  Chart::Panel epochs{.title = "seconds of each epoch", .curves = {}}, sums{.title = "seconds", .curves = {}};
  epochs.y_title = "seconds", sums.y_title = "seconds", sums.x_title = "";
  sums.log_y = true, sums.groups = {"mean epoch", "test", "total"};
  for (const Times& one : all) {
    Chart::Curve curve{one.device, chart_color(epochs.curves.size()), {}}, bars = curve;
    for (std::size_t i = 0; i < one.epochs.size(); ++i) curve.points.push_back({double(i + 1), one.epochs[i]});
    const double training = one.training(), count = static_cast<double>(one.epochs.size());
    bars.points = {{0, training / count}, {1, one.test / count}, {2, training + one.test}};
    epochs.curves.push_back(curve), sums.curves.push_back(bars);
  }
  return {"A convolutional network on MNIST", {epochs, sums}};
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string data = get_digits_folder(arguments);
  const std::string device = arguments.get("--device", "all", device_choices);
  const int threads = arguments.get("--threads", default_threads(), 1, "threads of the host");
  const int epochs = arguments.get("--epochs", 25, 1, "times through the training images");
  const std::size_t interval =
      arguments.get("--interval", std::size_t{10}, std::size_t{1}, "batches between two lines");
  const std::string svg = arguments.get("--svg", "", "write the charts to this file");
  arguments.finish();
  check_digits_folder(arguments, data);
  check_device(arguments, device);

  const Mnist digits = read_mnist(data);
  std::vector<Times> all;
  const int result = on_devices(device, threads, [&]<class Device>(const Device& on) {
    Times times{Device::name, {}};
    Network<LeNet, Device> net{on, {.seed = 1}};
    const History history =
        fit(net, digits.train, NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.5},
            {.batch_size = 200, .epochs = epochs, .interval = interval}, Lines<decltype(net)>{net, digits.test, times});
    std::printf("%s: mean epoch %.3f s, training %.3f s, tests %.3f s\n", Device::name,
                times.training() / static_cast<double>(times.epochs.size()), times.training(), times.test);
    all.push_back(times);
    return DeviceRun{times.training() + times.test, history.stopped.empty()};
  });
  write_chart(draw(all), svg);
  return result;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

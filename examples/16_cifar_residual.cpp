// SPDX-License-Identifier: MIT
// What a small network learns from CIFAR-10's colour pictures in minutes on the CPU: batch normalisation, shortcuts, pictures that are
// flipped and cropped at random in each epoch, and one cycle of the learning rate. --help lists the options.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>

#include "support/arguments.hpp"
#include "support/devices.hpp"
#include "support/epoch_table.hpp"
#include "support/pictures.hpp"
#include "support/write_chart.hpp"

using namespace sinter;

// [network]
template <int Channels>
using Same = Residual<Path<Conv2d<Channels, 3, Padding<1>, NoBias>, BatchNorm2d<>, ReLU,
                           Conv2d<Channels, 3, Padding<1>, NoBias>, BatchNorm2d<>>>;
struct Net
    : Sequential<Input<3, 32, 32>, Conv2d<16, 3, Padding<1>, NoBias>, BatchNorm2d<>, ReLU, MaxPool2d<2>, Same<16>,
                 ReLU,                                                                               // 16 x 16 x 16
                 Conv2d<32, 3, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<>, ReLU, Same<32>, ReLU,  // 32 x 8 x 8
                 Conv2d<64, 3, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<>, ReLU, Same<64>, ReLU,  // 64 x 4 x 4
                 AvgPool2d<4>, Flatten, Linear<10>> {};
// [/network]

struct Options {
  int epochs;
  double minutes, lr;
  std::uint64_t seed;
};

template <class Device>
History learn(Network<Net, Device>& net, const Cifar& pictures, int epochs, const Options& options) {
  constexpr std::size_t batch = 128;
  const long steps = static_cast<long>((pictures.train.size() + batch - 1) / batch) * epochs;
  // [training]
  const auto changed =
      augment(pictures.train, {.seed = options.seed}, RandomCrop{.padding = 4}, RandomHorizontalFlip{});
  const auto optimizer = per_step(SGD{.lr = options.lr, .momentum = 0.9, .weight_decay = 5e-4, .nesterov = true},
                                  OneCycleLR{.total_steps = steps});
  return fit(net, changed, CrossEntropyLoss{}, optimizer,
             {.batch_size = batch, .epochs = epochs, .validation = &pictures.test}, EpochTable{});
  // [/training]
}

template <class Device>
DeviceRun train(const Device& device, const Cifar& pictures, const Options& options, Chart::Panel& panel) {
  std::printf("%lld parameters, on %s\n", summary_of<Net>.parameters, Device::name);
  const Network<Net, Device> fresh{device, {.seed = options.seed, .initialization = Initialization::kaiming_normal}};
  int epochs = options.epochs;
  if (options.minutes > 0) {
    std::printf("one epoch by another network, to see how long it takes:\n");
    Network<Net, Device> trial = fresh;
    const double begin = monotonic_seconds();
    learn(trial, pictures, 1, options);
    epochs = std::max(1, static_cast<int>(60 * options.minutes / (monotonic_seconds() - begin)));
  }
  Network<Net, Device> net = fresh;
  const double begin = monotonic_seconds();
  const std::clock_t processor_begin = std::clock();
  const History history = learn(net, pictures, epochs, options);
  const double seconds = monotonic_seconds() - begin;
  const double processor = static_cast<double>(std::clock() - processor_begin) / CLOCKS_PER_SEC;
  std::printf("test accuracy %.2f %% after %d epochs: %.1f s, %.1f s of the processor, validation included\n\n",
              100 * score(net, pictures.test), epochs, seconds, processor);

  Chart::Curve curve{Device::name, chart_color(panel.curves.size()), {}};
  double trained = 0;
  for (const EpochRecord& epoch : history.epochs)
    curve.points.push_back({trained += epoch.seconds, 100 * epoch.validation_accuracy});
  panel.curves.push_back(curve);
  return {seconds, history.stopped.empty()};
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string folder = get_pictures_folder(arguments);
  const std::string device = arguments.get("--device", "host", device_choices);
  const int threads = arguments.get("--threads", default_threads(), 1, "threads of the host");
  Options options;
  options.epochs = arguments.get("--epochs", 10, 1, "times through the pictures");
  options.minutes = arguments.get("--minutes", 0.0, 0.0, "instead: as many epochs as these are enough for");
  options.lr = arguments.get("--lr", 0.1, 0.0, "the highest learning rate");
  options.seed = arguments.get("--seed", std::uint64_t{1}, std::uint64_t{0}, "of weights, order and changes");
  const std::string svg = arguments.get("--svg", "", "write the curve to this file");
  arguments.finish();
  check_device(arguments, device);
  check_pictures_folder(arguments, folder);

  const Cifar pictures = read_cifar10(folder);
  Chart::Panel panel{.title = "test accuracy by time of training", .curves = {}};
  panel.x_title = "seconds", panel.y_title = "test accuracy, %", panel.width = 800;
  const int result = on_devices(device, threads, [&](const auto& on) { return train(on, pictures, options, panel); });
  write_chart(Chart{"A small residual network on CIFAR-10", {panel}}, svg);
  return result;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

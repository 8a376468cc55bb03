// SPDX-License-Identifier: MIT
// Gray pictures in ten classes: a perceptron and a convolutional network by fit, predict and score. --help lists the options.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "support/arguments.hpp"
#include "support/devices.hpp"
#include "support/epoch_table.hpp"
#include "support/pictures.hpp"
#include "support/write_chart.hpp"

#include <sinter/data/gray.hpp>

using namespace sinter;

// [networks]
struct Mlp : Sequential<Input<1, 32, 32>, Flatten, Linear<100>, ReLU, Linear<10>> {};
struct Cnn : Sequential<Input<1, 32, 32>, Conv2d<16, 3>, ReLU, MaxPool2d<2>, Conv2d<32, 2>, ReLU, MaxPool2d<2>,
                        Conv2d<64, 2>, ReLU, MaxPool2d<2>, Flatten, Linear<200>, ReLU, Linear<10>> {};
// [/networks]

using Pictures = decltype(gray(std::declval<const Cifar::Data&>()));

template <class D>
SelectedRows<D> all_of(const D& data) {
  return subset(data, shuffled_rows(data, 1));
}

/// The fraction held out for validation; if it is 0, the test set is used instead.
struct Data {
  Pictures all, test;
  Split<Pictures> parts;
  Data(const Cifar& colour, double held_out)
      : all(gray(colour.train, Normalize::pixels(0.5f, 1))),
        test(gray(colour.test, Normalize::pixels(0.5f, 1))),
        parts(held_out > 0 ? stratified_split(all, held_out, 1) : Split<Pictures>{all_of(all), all_of(test)}) {}
};

/// The initial weights, and the order of the pictures.
struct Start {
  std::uint64_t seed;
  Initialization initialization;
};
Initialization named_initialization(const Arguments& arguments, const std::string& name) {
  if (name == "xavier_uniform") return Initialization::xavier_uniform;
  if (name == "kaiming_uniform") return Initialization::kaiming_uniform;
  if (name == "pytorch") return Initialization::pytorch;
  arguments.refuse("--initialization was given \"" + name + "\", expected xavier_uniform, kaiming_uniform or pytorch");
}

struct Charts {
  Chart::Panel loss{.title = "validation loss", .curves = {}},
      accuracy{.title = "validation accuracy, %", .curves = {}};
  Charts() { loss.y_title = "cross-entropy", accuracy.y_title = "% of the rows"; }
  void add(const std::string& name, const History& history) {
    Chart::Curve losses{name, chart_color(loss.curves.size()), {}}, shares = losses;
    for (const EpochRecord& epoch : history.epochs) {
      losses.points.push_back({double(epoch.epoch), epoch.validation_loss});
      shares.points.push_back({double(epoch.epoch), 100 * epoch.validation_accuracy});
    }
    loss.curves.push_back(losses), accuracy.curves.push_back(shares);
  }
};

template <class Model, class Device>
DeviceRun train(const char* name, const Device& device, const Data& data, double lr, int epochs, const Start& start,
                Charts& charts) {
  std::printf("%s, %lld parameters, on %s\n", name, summary_of<Model>.parameters, Device::name);
  Network<Model, Device> net{device, {.seed = start.seed, .initialization = start.initialization}};
  const History history =
      fit(net, data.parts.train, CrossEntropyLoss{}, SGD{.lr = lr, .momentum = 0.9, .nesterov = true},
          {.batch_size = 128, .epochs = epochs, .validation = &data.parts.held_out}, EpochTable{});
  charts.add(std::string(name) + ", " + Device::name, history);
  double seconds = 0;
  for (const EpochRecord& epoch : history.epochs) seconds += epoch.seconds;

  const auto first = subset(data.test, 0, 1);
  const auto scores = predict(net, first);
  int answer = 0;
  for (int c = 1; c < 10; ++c)
    if (scores(0, c) > scores(0, answer)) answer = c;
  std::printf("test accuracy %.2f %%; the first picture is taken for class %d, and is of class %d; %.2f s\n\n",
              100 * score(net, data.test), answer, int{data.test.targets()[0]}, seconds);
  return {seconds, history.stopped.empty()};
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string folder = get_pictures_folder(arguments);
  const std::string device = arguments.get("--device", "host", device_choices);
  const int threads = arguments.get("--threads", default_threads(), 1, "threads of the host");
  const int mlp_epochs = arguments.get("--mlp-epochs", 50, 0, "epochs of the perceptron");
  const int cnn_epochs = arguments.get("--cnn-epochs", 5, 0, "epochs of the convolutional network");
  const double held_out = arguments.get("--held-out", 0.2, 0.0, "fraction to validate by; 0 for the test set");
  const std::uint64_t seed = arguments.get("--seed", std::uint64_t{1}, std::uint64_t{0}, "of weights and order");
  const std::string initialization =
      arguments.get("--initialization", "xavier_uniform",
                    "of the weights: xavier_uniform, kaiming_uniform or pytorch (its layers' own)");
  const std::string svg = arguments.get("--svg", "", "write the curves to this file");
  arguments.finish();
  check_device(arguments, device);
  check_pictures_folder(arguments, folder);
  const Start start{seed, named_initialization(arguments, initialization)};

  const Data data(read_cifar10(folder), held_out);
  std::printf("%zu pictures to train on, %zu held out, %zu to test\n\n", data.parts.train.size(),
              data.parts.held_out.size(), data.test.size());
  Charts charts;
  const int result = on_devices(device, threads, [&](const auto& on) {
    const DeviceRun mlp = train<Mlp>("MLP", on, data, 0.01, mlp_epochs, start, charts);
    const DeviceRun cnn = train<Cnn>("CNN", on, data, 0.015, cnn_epochs, start, charts);
    return DeviceRun{mlp.seconds + cnn.seconds, mlp.sound && cnn.sound};
  });
  write_chart(Chart{"Ten classes of gray pictures", {charts.loss, charts.accuracy}}, svg);
  return result;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

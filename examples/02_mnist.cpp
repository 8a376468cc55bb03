// SPDX-License-Identifier: MIT
// A convolutional network that learns handwritten digits. --help lists the options.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "support/arguments.hpp"
#include "support/devices.hpp"
#include "support/digits.hpp"

using namespace sinter;

// [network]
struct LeNet : Sequential<Input<1, 28, 28>,                                   // a gray picture
                          Conv2d<10, 5>, MaxPool2d<2>, ReLU,                  // 10 x 12 x 12
                          Conv2d<20, 5>, Dropout2d<0.5>, MaxPool2d<2>, ReLU,  // 20 x 4 x 4
                          Flatten, Linear<50>, ReLU, Dropout<0.5>,            // 50
                          Linear<10>, LogSoftmax> {};                         // log-probabilities of the digits
// [/network]

struct Options {
  std::string data, device, history;
  int threads, epochs;
  std::size_t batch_size;
  double lr, momentum;
  std::uint64_t seed;
};

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

Options read(int count, char** values) {
  Arguments arguments(count, values);
  Options o;
  o.data = get_digits_folder(arguments);
  o.device = arguments.get("--device", "host", device_choices);
  o.threads = arguments.get("--threads", default_threads(), 1,
                            "threads of the host; by default what the machine has, at most 2");
  o.epochs = arguments.get("--epochs", 25, 0, "times through the training images");
  o.batch_size = arguments.get("--batch-size", std::size_t{50}, std::size_t{1}, "images for each step");
  o.lr = arguments.get("--lr", 0.01, 0.0, "learning rate");
  o.momentum = arguments.get("--momentum", 0.9, 0.0, "momentum");
  o.seed = arguments.get("--seed", std::uint64_t{1}, std::uint64_t{0}, "of weights, order and dropout");
  o.history = arguments.get("--history", "", "write what happened to FILE.csv, FILE.json or FILE.svg");
  arguments.finish();
  check_digits_folder(arguments, o.data);
  check_device(arguments, o.device);
  if (!o.history.empty() && !ends_with(o.history, ".csv") && !ends_with(o.history, ".json") &&
      !ends_with(o.history, ".svg"))
    arguments.refuse("--history was given \"" + o.history + "\", expected a name that ends in .csv, .json or .svg");
  return o;
}

template <class Device>
DeviceRun train(Device device, const Mnist& digits, const Options& options) {
  Network<LeNet, Device> net{device, {.seed = options.seed}};

  const History history =
      fit(net, digits.train, NLLLoss{}, SGD{.lr = options.lr, .momentum = options.momentum},
          {.batch_size = options.batch_size, .epochs = options.epochs, .validation = &digits.test}, Progress{});

  const auto [loss, accuracy] = evaluate(net, digits.test, NLLLoss{});
  std::printf("test loss %.4f, accuracy %.2f %%\n", loss, 100 * accuracy);
  double seconds = 0;
  for (const EpochRecord& epoch : history.epochs) seconds += epoch.seconds;
  if (const auto count = static_cast<double>(history.epochs.size()); seconds > 0)
    std::printf("%.3f s an epoch, %.0f images/s\n", seconds / count,
                count * static_cast<double>(digits.train.size()) / seconds);

  if (ends_with(options.history, ".csv")) history.csv(options.history);
  if (ends_with(options.history, ".json")) history.json(options.history);
  if (ends_with(options.history, ".svg")) history.svg(options.history);
  if (!options.history.empty()) std::printf("wrote %s\n", options.history.c_str());
  return {seconds, history.stopped.empty()};
}

int main(int count, char** values) try {
  const Options options = read(count, values);
  const Mnist digits = read_mnist(options.data);
  return on_devices(options.device, options.threads, [&](auto device) { return train(device, digits, options); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

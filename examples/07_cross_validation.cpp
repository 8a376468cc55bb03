// SPDX-License-Identifier: MIT
// Which learning rate? Cross-validation of a small network on handwritten digits: rates x folds networks, side by side.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "support/arguments.hpp"
#include "support/devices.hpp"
#include "support/digits.hpp"

using namespace sinter;

// [network]
struct Mlp : Sequential<Input<1, 28, 28>, Flatten, Linear<24>, ReLU, Linear<10>> {};
// [/network]

std::vector<SGD> candidates() {
  std::vector<SGD> all;
  for (const double momentum : {0.0, 0.9})
    for (const double lr : {0.001, 0.003, 0.01, 0.03, 0.1, 0.3}) all.push_back({.lr = lr, .momentum = momentum});
  return all;
}

template <class Device, class Data>
DeviceRun validate(const Device& device, const Data& digits, const CrossValidationOptions& options) {
  const std::vector<SGD> all = candidates();
  const auto begin = std::chrono::steady_clock::now();
  // [call]
  const auto results = cross_validate<Mlp>(device, digits, CrossEntropyLoss{}, all, options);
  // [/call]
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  const auto best = std::min_element(results.begin(), results.end(),
                                     [](const auto& a, const auto& b) { return a.loss.mean < b.loss.mean; });
  std::printf("%8s %8s   %-18s %s\n", "rate", "momentum", "held-out loss", "accuracy, %");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const CrossValidated& result = results[i];
    std::printf("%8g %8g   ", all[i].lr, all[i].momentum);
    const auto stopped = std::find_if(result.folds.begin(), result.folds.end(),
                                      [](const History& fold) { return !fold.stopped.empty(); });
    if (stopped != result.folds.end())
      std::printf("stopped in %s\n", stopped->stopped.c_str());
    else
      std::printf("%.4f +- %.4f   %.2f +- %.2f%s\n", result.loss.mean, result.loss.error, 100 * result.accuracy.mean,
                  100 * result.accuracy.error, &result == &*best ? "   <- best" : "");
  }
  const double steps = static_cast<double>(all.size()) * options.folds * options.epochs *
                       static_cast<double>(digits.size()) * (1 - 1.0 / options.folds) /
                       static_cast<double>(options.batch_size);
  std::printf("%zu networks on %s in %.2f s: %.2f us for each step of each\n\n",
              all.size() * static_cast<std::size_t>(options.folds), Device::name, seconds, seconds / steps * 1e6);
  return {seconds, best->loss.mean < 1};
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  CrossValidationOptions options;
  const std::string data = get_digits_folder(arguments);
  const std::string device = arguments.get("--device", "host", device_choices);
  const int threads = arguments.get("--threads", default_threads(), 1, "threads of the host");
  options.folds = arguments.get("--folds", 5, 2, "parts of the training images");
  options.epochs = arguments.get("--epochs", 10, 1, "times through the training images");
  options.batch_size = arguments.get("--batch-size", std::size_t{32}, std::size_t{1}, "images for each step");
  options.seed = arguments.get("--seed", std::uint64_t{1}, std::uint64_t{0}, "of weights and order");
  arguments.finish();
  check_digits_folder(arguments, data);
  check_device(arguments, device);

  const Mnist digits = read_mnist(data);
  return on_devices(device, threads, [&](const auto& on) { return validate(on, digits.train, options); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

// SPDX-License-Identifier: MIT
// What a small network learns of CIFAR-10's colour pictures in minutes on the CPU: batch normalisation, shortcuts, pictures that are
// flipped and cropped anew in each epoch, and a rate that rises and falls once. --help lists the options.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>

#include "support/arguments.hpp"
#include "support/devices.hpp"
#include "support/epoch_table.hpp"
#include "support/pictures.hpp"

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

template <class Device>
DeviceRun train(const Device& device, const Cifar& pictures, int epochs, double lr, std::uint64_t seed) {
  constexpr std::size_t batch = 128;
  std::printf("%lld parameters, on %s\n", summary_of<Net>.parameters, Device::name);
  Network<Net, Device> net{device, {.seed = seed, .initialization = Initialization::kaiming_normal}};
  const long steps = static_cast<long>((pictures.train.size() + batch - 1) / batch) * epochs;
  const std::clock_t begin = std::clock();
  // [training]
  const auto changed = augment(pictures.train, {.seed = seed}, RandomCrop{.padding = 4}, RandomHorizontalFlip{});
  const auto optimizer = per_step(SGD{.lr = lr, .momentum = 0.9, .weight_decay = 5e-4, .nesterov = true},
                                  OneCycleLR{.total_steps = steps});
  const History history = fit(net, changed, CrossEntropyLoss{}, optimizer,
                              {.batch_size = batch, .epochs = epochs, .validation = &pictures.test}, EpochTable{});
  // [/training]
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("test accuracy %.2f %% after %.1f s of the processor, validation included\n\n",
              100 * score(net, pictures.test), seconds);
  return {seconds, history.stopped.empty()};
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string folder = get_pictures_folder(arguments);
  const std::string device = arguments.get("--device", "host", device_choices);
  const int threads = arguments.get("--threads", default_threads(), 1, "threads of the host");
  const int epochs = arguments.get("--epochs", 10, 1, "times through the pictures");
  const double lr = arguments.get("--lr", 0.1, 0.0, "the highest learning rate");
  const std::uint64_t seed =
      arguments.get("--seed", std::uint64_t{1}, std::uint64_t{0}, "of weights, order and changes");
  arguments.finish();
  check_device(arguments, device);
  check_pictures_folder(arguments, folder);

  const Cifar pictures = read_cifar10(folder);
  return on_devices(device, threads, [&](const auto& on) { return train(on, pictures, epochs, lr, seed); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

// SPDX-License-Identifier: MIT
// A network as a member of a class; a training thread replaces its weights while it is in use, without a lock.
#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

#include "support/arguments.hpp"
#include "support/devices.hpp"

using namespace sinter;

struct Net : Sequential<Input<2>, Linear<32>, ReLU, Linear<32>, ReLU, Linear<2>> {};

// [member]
/// Classifies whether a point is in the disc. One thread calls it; another may replace its weights at any time.
template <class Device>
class DiscDetector {
 public:
  using Weights = Network<Net, Device>;

  explicit DiscDetector(const Weights& weights) : now_(std::make_unique<Loaded>(weights)) {}
  ~DiscDetector() {
    delete next_.load();
    delete old_.load();
  }

  /// For the calling thread: neither waits nor, on the host, allocates.
  bool operator()(float x, float y) {
    if (!old_.load(std::memory_order_relaxed))  // else the training thread has not yet taken back the last weights
      if (Loaded* next = next_.exchange(nullptr, std::memory_order_acquire))
        old_.store(std::exchange(now_, std::unique_ptr<Loaded>(next)).release(), std::memory_order_release);
    const float point[] = {x, y};
    const auto scores = now_->net.forward(TensorView<const float, Shape<2>>{point, 1}, now_->workspace);
    return scores(0, 1) > scores(0, 0);
  }
  /// For the other thread: a copy of the weights, in use from the next question on.
  void give(const Weights& weights) {
    delete next_.exchange(new Loaded(weights), std::memory_order_acq_rel);
    delete old_.exchange(nullptr, std::memory_order_acquire);  // last: now they can be taken
  }

 private:
  struct Loaded {
    Weights net;
    typename Weights::Workspace workspace = net.workspace(1);
    explicit Loaded(const Weights& weights) : net(weights) {}
  };
  std::unique_ptr<Loaded> now_;
  std::atomic<Loaded*> next_ = nullptr, old_ = nullptr;
};
// [/member]

template <class Device>
DeviceRun run(const Device& device, int epochs) {
  const auto points = disc(2000, 1);
  Network<Net, Device> net{device, {.seed = 1}};
  DiscDetector<Device> detector(net);

  const double begin = monotonic_seconds();
  std::atomic<bool> done = false;
  std::jthread trainer([&] {
    for (int epoch = 0; epoch < epochs; ++epoch) {
      fit(net, points, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9}, {.first_epoch = epoch});
      detector.give(net);
    }
    done = true;
  });

  // Meanwhile the detector answers, better and better.
  const auto share_right = [&] {
    std::size_t right = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
      right += detector(points.inputs()(i, 0), points.inputs()(i, 1)) == (points.targets()[i] == 1);
    return static_cast<double>(right) / static_cast<double>(points.size());
  };
  const double first = share_right();
  std::size_t passes = 1;
  while (!done) share_right(), ++passes;
  const double last = share_right(), seconds = monotonic_seconds() - begin;
  std::printf("%s: %zu questions answered while it learned; right at first %.1f %%, at last %.1f %%\n", Device::name,
              passes * points.size(), 100 * first, 100 * last);
  return {seconds, last == score(net, points)};  // the last weights are in use
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string device = arguments.get("--device", "host", device_choices);
  const int epochs = arguments.get("--epochs", 20, 1, "times through the points");
  arguments.finish();
  check_device(arguments, device);
  return on_devices(device, 1, [&](const auto& on) { return run(on, epochs); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

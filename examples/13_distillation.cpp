// SPDX-License-Identifier: MIT
// A small network learns from a large one, on two devices at once: the teacher answers on one while the student, on the
// other, learns from the answers so far. Without augmentation, an answer is valid for all epochs, and is kept.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "support/arguments.hpp"
#include "support/devices.hpp"
#include "support/digits.hpp"
#include "support/write_chart.hpp"

using namespace sinter;

struct Teacher : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 5>, MaxPool2d<2>, ReLU,
                            Flatten, Linear<50>, ReLU, Linear<10>> {};
struct Student : Sequential<Input<1, 28, 28>, Flatten, Linear<16>, ReLU, Linear<10>, LogSoftmax> {};

using Answers = Tensor<float, Shape<10>>;

/// t = (1 - soft) [class] + soft softmax(scores / temperature), for rows from `first` on.
void soften(const Answers& scores, std::span<const std::uint8_t> labels, std::size_t first, Answers& targets) {
  constexpr float temperature = 2, soft = 0.7f;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    float total = 0, e[10];
    const float most = *std::max_element(&scores(i, 0), &scores(i, 0) + 10);
    for (int c = 0; c < 10; ++c) total += e[c] = std::exp((scores(i, c) - most) / temperature);
    for (int c = 0; c < 10; ++c) targets(first + i, c) = soft * e[c] / total + (labels[first + i] == c ? 1 - soft : 0);
  }
}

/// A callback of fit(): the accuracy on the test set after each epoch.
template <class Net>
struct Scores {
  const Net& net;
  const Mnist::Data& test;
  Chart::Curve& curve;
  bool on_epoch_end(const EpochRecord& epoch, const History&) {
    curve.points.push_back({double(epoch.epoch), 100 * score(net, test)});
    return true;
  }
};

template <class Device>
DeviceRun distil(const Device& device, const Mnist& digits, int teacher_epochs, int epochs, Chart::Panel& panel) {
  constexpr std::size_t batch = 50, rows_at_once = 500;
  const auto& train = digits.train;
  Network<Teacher> teacher{Host{.threads = 1}, {.seed = 1}};  // with its own pool
  fit(teacher, train, CrossEntropyLoss{}, SGD{.lr = 0.02, .momentum = 0.9},
      {.batch_size = batch, .epochs = teacher_epochs});
  const double taught = score(teacher, digits.test);

  Answers targets(train.size());
  const auto inputs = train.inputs();
  const auto data = dataset(inputs, targets, train.normalize());
  Network<Student, Device> student{device, {.seed = 1}};
  const SGD optimizer{.lr = 0.05, .momentum = 0.9};
  const double begin = monotonic_seconds();

  // [two_devices]
  std::atomic<std::size_t> ready = 0;  // rows that are answered
  std::jthread answering([&] {
    for (std::size_t first = 0; first < train.size(); first += rows_at_once) {
      const auto some = subset(train, first, std::min(rows_at_once, train.size() - first));
      soften(predict(teacher, some), train.targets(), first, targets);
      ready.store(first + some.size(), std::memory_order_release);
      ready.notify_one();
    }
  });
  double stalled = 0;
  {
    Trainer trainer{student, KLDivLoss{.batchmean = true}, optimizer};
    for (std::size_t first = 0; first < train.size(); first += batch) {
      const std::size_t last = std::min(first + batch, train.size());
      const double asked = monotonic_seconds();
      for (std::size_t now; (now = ready.load(std::memory_order_acquire)) < last;) ready.wait(now);
      stalled += monotonic_seconds() - asked;
      trainer.step(subset(data, first, last - first));
    }
  }
  // [/two_devices]
  const double first_epoch = monotonic_seconds() - begin;
  Chart::Curve with{std::string("with a teacher, ") + Device::name, chart_color(panel.curves.size()), {}};
  with.points.push_back({1, 100 * score(student, digits.test)});
  const History others = fit(student, data, KLDivLoss{.batchmean = true}, optimizer,
                             {.batch_size = batch, .epochs = epochs - 1, .first_epoch = 1},
                             Scores<decltype(student)>{student, digits.test, with});
  double seconds = first_epoch;
  for (const EpochRecord& epoch : others.epochs) seconds += epoch.seconds;
  panel.curves.push_back(with);

  Network<Student, Device> alone{device, {.seed = 1}};
  Chart::Curve without{std::string("alone, ") + Device::name, chart_color(panel.curves.size()), {}};
  fit(alone, train, NLLLoss{}, optimizer, {.batch_size = batch, .epochs = epochs},
      Scores<decltype(alone)>{alone, digits.test, without});
  panel.curves.push_back(without);
  std::printf("%s: first epoch %.3f s, of which the student waited %.0f %%; all %d epochs %.3f s\n", Device::name,
              first_epoch, 100 * stalled / first_epoch, epochs, seconds);
  std::printf(
      "accuracy: teacher (%lld parameters) %.2f %%, student (%lld) %.2f %%, the same without a teacher %.2f %%\n",
      static_cast<long long>(summary_of<Teacher>.parameters), 100 * taught,
      static_cast<long long>(summary_of<Student>.parameters), 100 * score(student, digits.test),
      100 * score(alone, digits.test));
  return {seconds, true};
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string data = get_digits_folder(arguments);
  const std::string device = arguments.get("--device", "host", device_choices);
  const int teacher_epochs = arguments.get("--teacher-epochs", 8, 1, "epochs of the teacher");
  const int epochs = arguments.get("--epochs", 10, 2, "epochs of the student");
  const std::string svg = arguments.get("--svg", "", "write the curves to this file");
  arguments.finish();
  check_digits_folder(arguments, data);
  check_device(arguments, device);
  const Mnist digits = read_mnist(data);
  Chart::Panel panel{.title = "test accuracy by epoch", .curves = {}};
  panel.y_title = "test accuracy, %", panel.width = 800;
  const int result =
      on_devices(device, 1, [&](const auto& on) { return distil(on, digits, teacher_epochs, epochs, panel); });
  write_chart(Chart{"A small network with and without a teacher", {panel}}, svg);
  return result;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

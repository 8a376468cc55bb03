// SPDX-License-Identifier: MIT
// The rows of `compare` in dlib: dlib_cpu version | dlib_cpu ROW SECONDS prints a line of JSON. Rows are gathered straight
// into a tensor, and a step is compute_parameter_gradients and update_parameters, without dnn_trainer around them.
#include <dlib/dnn.h>
#include <dlib/revision.h>

#include <cstdio>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "measure.hpp"

using namespace dlib;

using Row = input<matrix<float>>;
template <int N>
using Planes = input<std::array<matrix<float>, N>>;

/// 2-4-8-..-2^(n-1): n - 1 hidden layers.
template <int N>
struct Hidden {
  using Type = relu<fc<(1 << N), typename Hidden<N - 1>::Type>>;
};
template <>
struct Hidden<1> {
  using Type = Row;
};
template <int N>
using Disc = loss_multiclass_log<fc<2, typename Hidden<N>::Type>>;

using Gray = loss_multiclass_log<fc<10, relu<fc<100, Row>>>>;
using Folds = loss_multiclass_log<fc<10, relu<fc<64, relu<fc<64, Row>>>>>>;
using Policy = loss_multiclass_log<fc<2, relu<fc<64, relu<fc<64, Row>>>>>>;
using Digits = loss_multiclass_log<fc<10, relu<fc<1024, relu<fc<1024, Row>>>>>>;
using Agent = loss_mean_squared_multioutput<fc<6, htan<fc<64, htan<fc<64, Row>>>>>>;
using Tabular = loss_multiclass_log<fc<5, sig<fc<20, htan<fc<40, Row>>>>>>;

template <long Channels, long Kernel, class Below>
using Valid = add_layer<con_<Channels, Kernel, Kernel, 1, 1, 0, 0>, Below>;
template <long Channels, long Kernel, long Stride, class Below>
using Same = add_layer<con_<Channels, Kernel, Kernel, Stride, Stride, Kernel / 2, Kernel / 2>, Below>;
template <class Below>
using Pool = max_pool<2, 2, 2, 2, Below>;
template <class Below>
using Mean = avg_pool<2, 2, 2, 2, Below>;

using GrayImages = loss_multiclass_log<
    fc<10, relu<fc<200, relu<Pool<Valid<64, 2, relu<Pool<Valid<32, 2, relu<Pool<Valid<16, 3, Row>>>>>>>>>>>>>;
using LeNet5 =
    loss_multiclass_log<fc<10, htan<fc<84, htan<fc<120, Mean<htan<Valid<16, 5, Mean<htan<Same<6, 5, 1, Row>>>>>>>>>>>>;
using Vgg = loss_multiclass_log<fc<
    10,
    relu<fc<256, Pool<relu<Same<
                     64, 3, 1, relu<Same<64, 3, 1, Pool<relu<Same<32, 3, 1, relu<Same<32, 3, 1, Planes<3>>>>>>>>>>>>>>>;
// dlib has no Dropout2d: single elements are dropped in its place.
using W1 = loss_multiclass_log<
    fc<10, dropout<relu<fc<50, relu<Pool<dropout<Valid<20, 5, relu<Pool<Valid<10, 5, Row>>>>>>>>>>>>;
using W1Inference = loss_multiclass_log<fc<10, relu<fc<50, relu<Pool<Valid<20, 5, relu<Pool<Valid<10, 5, Row>>>>>>>>>>;

template <class Below>
using Norm = bn_con<Below>;
template <template <class> class N, long Channels, long Stride, class Below>
using Path = N<Same<Channels, 3, 1, relu<N<Same<Channels, 3, Stride, Below>>>>>;
template <template <class> class N, class Below>
using First = relu<add_prev1<Path<N, 16, 1, tag1<Below>>>>;
template <template <class> class N, long Channels, class Below>
using Half = relu<add_prev2<N<Same<Channels, 1, 2, skip1<tag2<Path<N, Channels, 2, tag1<Below>>>>>>>>;
template <template <class> class N>
using ResNet8 = loss_multiclass_log<
    fc<10, avg_pool<8, 8, 8, 8, Half<N, 64, Half<N, 32, First<N, relu<N<Same<16, 3, 1, Planes<3>>>>>>>>>>;

struct Shape {
  long channels, height, width;
  long size() const { return channels * height * width; }
};

/// dlib sets up some things of a network when it first sees rows of its own kind.
template <class Net>
void introduce(Net& net, Shape shape) {
  typename Net::input_type one;
  if constexpr (std::is_same_v<typename Net::input_type, matrix<float>>)
    one = zeros_matrix<float>(shape.height, shape.width);
  else
    for (auto& plane : one) plane = zeros_matrix<float>(shape.height, shape.width);
  resizable_tensor x;
  net.to_tensor(&one, &one + 1, x);
}

template <class Net, class Solver>
double train(Shape shape, long batch, long outputs, Solver solver, double rate, double seconds) {
  Net net;
  introduce(net, shape);
  const long rows = std::max(4096 / batch, 1L) * batch;
  std::mt19937 random(1);
  std::normal_distribution<float> number;
  std::vector<float> data(static_cast<std::size_t>(rows * shape.size()));
  for (float& value : data) value = number(random);
  using Label = typename Net::training_label_type;
  std::vector<Label> labels(static_cast<std::size_t>(rows)), chosen(static_cast<std::size_t>(batch));
  for (Label& label : labels)
    if constexpr (std::is_same_v<Label, matrix<float>>) {
      label.set_size(outputs, 1);
      for (float& value : label) value = number(random);
    } else {
      label = random() % static_cast<unsigned long>(outputs);
    }
  std::vector<Solver> solvers(Net::num_computational_layers, solver);
  resizable_tensor x(batch, shape.channels, shape.height, shape.width);
  double losses = 0;
  return measure(seconds, [&] {
    float* to = x.host_write_only();
    for (long i = 0; i < batch; ++i, to += shape.size()) {
      const std::size_t row = random() % static_cast<unsigned long>(rows);
      std::copy_n(data.data() + row * static_cast<std::size_t>(shape.size()), shape.size(), to);
      chosen[static_cast<std::size_t>(i)] = labels[row];
    }
    losses += net.compute_parameter_gradients(x, chosen.begin());
    net.update_parameters(make_sstack(solvers), rate);
  });
}
template <class Net>
double infer(Shape shape, long batch, double seconds) {
  Net net;
  introduce(net, shape);
  resizable_tensor x(batch, shape.channels, shape.height, shape.width);
  std::mt19937 random(1);
  std::normal_distribution<float> number;
  for (float* p = x.host(); p != x.host() + x.size(); ++p) *p = number(random);
  return measure(seconds, [&] { net.subnet().forward(x); });
}

template <class Below>
using Fixed = affine<Below>;

int main(int count, char** words) {
  PeerRows rows;
  const auto add = [&](const std::string& name, long batch, std::function<double(double)> work) {
    rows[name + " batch " + std::to_string(batch)] = std::move(work);
  };
  const sgd plain(0, 0), half(0, .5f), nine(0, .9f);
  const adam adaptive(0, .9f, .999f);
#define TRAIN(NAME, NET, SHAPE, BATCH, OUTPUTS, SOLVER, RATE) \
  add(NAME " train", BATCH, [&](double s) { return train<NET>(Shape SHAPE, BATCH, OUTPUTS, SOLVER, RATE, s); })
#define INFER(NAME, NET, SHAPE)         \
  for (const long batch : {1, 64, 800}) \
  add(NAME " infer", batch, [=](double s) { return infer<NET>(Shape SHAPE, batch, s); })
  for (const long batch : {200, 50, 1})
    add("W1 train", batch, [=](double s) { return train<W1>(Shape{1, 28, 28}, batch, 10, half, .01, s); });
  TRAIN("disc-2", Disc<2>, ({1, 2, 1}), 100, 2, plain, .01);
  TRAIN("disc-4", Disc<4>, ({1, 2, 1}), 100, 2, plain, .01);
  TRAIN("disc-6", Disc<6>, ({1, 2, 1}), 100, 2, plain, .01);
  TRAIN("disc-8", Disc<8>, ({1, 2, 1}), 100, 2, plain, .01);
  TRAIN("disc-10", Disc<10>, ({1, 2, 1}), 100, 2, plain, .01);
  TRAIN("disc-12", Disc<12>, ({1, 2, 1}), 100, 2, plain, .01);
  TRAIN("1024-100-10", Gray, ({1, 1024, 1}), 128, 10, nine, .01);
  TRAIN("gray-cnn", GrayImages, ({1, 32, 32}), 128, 10, nine, .015);
  for (const long batch : {8, 32, 64}) {
    add("256-64-64-10 train", batch,
        [=](double s) { return train<Folds>(Shape{1, 256, 1}, batch, 10, plain, .01, s); });
    add("256-64-64-10/adam train", batch,
        [=](double s) { return train<Folds>(Shape{1, 256, 1}, batch, 10, adaptive, .001, s); });
  }
  TRAIN("17-64-64-6/adam", Agent, ({1, 17, 1}), 256, 6, adaptive, .001);
  TRAIN("784-1024-1024-10", Digits, ({1, 784, 1}), 128, 10, plain, .01);
  TRAIN("784-1024-1024-10/adam", Digits, ({1, 784, 1}), 128, 10, adaptive, .001);
  TRAIN("13-40-20-5", Tabular, ({1, 13, 1}), 37, 5, plain, .01);
  TRAIN("lenet-5", LeNet5, ({1, 28, 28}), 64, 10, plain, .01);
  TRAIN("vgg", Vgg, ({3, 32, 32}), 64, 10, plain, .01);
  TRAIN("resnet-8", ResNet8<Norm>, ({3, 32, 32}), 128, 10, plain, .01);
  INFER("W1", W1Inference, ({1, 28, 28}));
  INFER("784-1024-1024-10", Digits, ({1, 784, 1}));
  INFER("vgg", Vgg, ({3, 32, 32}));
  INFER("resnet-8", ResNet8<Fixed>, ({3, 32, 32}));
  INFER("4-64-64-2", Policy, ({1, 4, 1}));
  INFER("17-64-64-6", Agent, ({1, 17, 1}));
  INFER("256-64-64-10", Folds, ({1, 256, 1}));
  INFER("lenet-5", LeNet5, ({1, 28, 28}));

  return run_rows(count, words, rows,
                  "dlib " + std::to_string(DLIB_MAJOR_VERSION) + "." + std::to_string(DLIB_MINOR_VERSION));
}

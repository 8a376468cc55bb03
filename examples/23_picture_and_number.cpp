// SPDX-License-Identifier: MIT
// Two inputs: a picture of a digit and a number. The network learns whether the digit is larger than the number. Its ONNX file
// has both inputs by name.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "support/arguments.hpp"

#include <sinter/io.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

// [network]
struct Question : Inputs<Named<"picture", Input<1, 28, 28>>, Named<"number", Input<1>>> {};
struct Net : Sequential<Question,
                        Concat<Path<TakeInput<Question, "picture">, Conv2d<8, 5>, MaxPool2d<2>, ReLU, Conv2d<16, 5>,
                                    MaxPool2d<2>, ReLU, Flatten, Linear<32>, ReLU>,
                               Path<TakeInput<Question, "number">, Linear<8>, ReLU>>,
                        Linear<32>, ReLU, Linear<2>> {};
// [/network]

/// A number for each picture, from -1 to 1 for 0 to 9, and whether the digit is larger.
struct Questions {
  Tensor<float, Shape<1>> numbers;
  std::vector<int> larger;
  explicit Questions(const auto& digits) : numbers(digits.size()), larger(digits.size()) {
    for (std::size_t row = 0; row < digits.size(); ++row) {
      const int number = static_cast<int>(row * 7919 % 10);
      numbers(row, 0) = static_cast<float>(number) / 4.5f - 1;
      larger[row] = digits.targets()[row] > number;
    }
  }
};

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string folder = arguments.get("--data", "mnist", "a folder with the four files of MNIST");
  const int epochs = arguments.get("--epochs", 10, 1, "times through the rows");
  arguments.finish();

  const Mnist digits = read_mnist(folder);
  const Questions questions(digits.train), others(digits.test);
  // [join]
  const auto x = join_inputs<Net>(named<"picture">(digits.train.inputs(), digits.train.normalize()), questions.numbers);
  Network<Net> net{{.seed = 1}};
  fit(net, dataset(x, questions.larger), CrossEntropyLoss{}, Adam{}, {.batch_size = 50, .epochs = epochs});
  // [/join]
  const auto pictures = named<"picture">(digits.test.inputs(), digits.test.normalize());
  const auto held_out = join_inputs<Net>(pictures, others.numbers);
  std::printf("%.1f %% of %zu questions answered right\n", 100 * score(net, dataset(held_out, others.larger)),
              held_out.rows());
  export_onnx(net, "picture_and_number.onnx");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

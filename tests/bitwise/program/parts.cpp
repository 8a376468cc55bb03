// SPDX-License-Identifier: MIT
// parts FILE: what systems may differ in beside training by fit. Tables, arrays and records in files, 8 bits, functions
// of one row, training without a heap, a sweep, requests in batches, ranks that are threads, and a model library that
// is linked with it. Writes what they compute to FILE.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "../../consumers/model_library/digits.hpp"
#include "digits.h"
#include "sinter/fixed_trainer.hpp"
#include "sinter/function.hpp"
#include "sinter/int8.hpp"
#include "sinter/io.hpp"
#include "sinter/ranks.hpp"
#include "sinter/serve.hpp"
#include "sinter/sinter.hpp"
#include "sinter/sweep.hpp"
#include "train.hpp"

namespace {

struct Points : Sequential<Input<2>, Linear<8>, Tanh, Linear<2>> {};

struct Output {
  std::FILE* to;
  void put(double x) const { std::fwrite(&x, sizeof x, 1, to); }
  void put(const auto& numbers) const {
    for (const auto number : numbers) put(static_cast<double>(number));
  }
};

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "not as expected: %s\n", what);
  std::exit(1);
}

void files(const std::string& folder, const Output& output) {
  std::string text = "x,y,side\r\n", records;
  const auto points = disc(40, 1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto row = points.inputs().row(i);
    const bool inside = points.targets()[i] != 0;
    text += std::to_string(row[0]) + "," + std::to_string(row[1]) + (inside ? ",in\r\n" : ",out\r\n");
    records += inside ? '\1' : '\0';
    for (const float x : {row[0], row[1]})
      records.append(reinterpret_cast<const char*>(&x), sizeof x);  // this is of little-endian machines
  }
  write_file(folder + "/table.csv", text);
  const CsvTable table = read_csv(folder + "/table.csv");
  output.put(table.numbers({"x", "y"}).values());
  output.put(table.classes("side").labels);

  Tensor<float, Shape<2>> x(40);
  for (std::size_t i = 0; i < 40; ++i) x.values()[2 * i] = points.inputs().row(i)[0];
  write_npy(folder + "/x.npy", x);
  output.put(read_npy(folder + "/x.npy").rows<float, Shape<2>>().values());

  write_file(folder + "/rows.bin", records);  // with a byte 26, at which text would end, and ends of lines
  Network<Points> net{{.seed = 1}};
  const RecordFiles<float, Shape<2>, std::uint8_t> rows({folder + "/rows.bin"});
  fit(net, rows, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 8, .epochs = 2});
  output.put(std::span(net.data(), static_cast<std::size_t>(decltype(net)::Ops::storage_size)));
}

void small_networks(const std::string& folder, const Output& output) {
  const auto points = disc(64, 2);
  Network<Points> net{{.seed = 3}};
  const auto f = net.function();
  const FixedTensor<float, Shape<2>> p{0.5f, -0.25f};
  output.put(f(p));
  output.put(f.gradient(p, {1, 2}));

  static FixedTrainer<Points, CrossEntropyLoss, SGD, 8> trainer(std::span<const std::byte>{packed_bytes(net)}, {},
                                                                {.lr = 0.1});
  std::vector<float> x(16, 0.5f);
  std::vector<int> sides{0, 1, 0, 1, 1, 1, 0, 0};
  for (int step = 0; step < 3; ++step)
    output.put(static_cast<double>(trainer.step(TensorView<const float, Shape<2>>{x.data(), 8}, std::span(sides))));

  const std::vector<SGD> rates{{.lr = 0.01}, {.lr = 0.1}};
  for (const SweepResult& result :
       sweep<Points>(Host{.threads = 2}, points, CrossEntropyLoss{}, rates,
                     {.batch_size = 8, .epochs = 4, .rounds = 2, .held_out = {0, 16}, .path = folder + "/sweep"})) {
    output.put(static_cast<double>(result.optimizer));
    output.put(result.loss);
  }

  Threads(2).run([&](Communicator& world) {
    Network<Points, Ranks<Host>> shared{{world, Host{.threads = 1}}, {.seed = 1}};
    fit(shared, points, CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 16, .epochs = 2});
    const auto [loss, accuracy] = evaluate(shared, points, CrossEntropyLoss{});
    if (world.rank() == 0) output.put(loss);
  });
}

void digits(const std::string& folder, const Output& output) {
  const Network<Digits> net{{.seed = 3}};
  Tensor<float, Digits::InputRow> x(20);
  for (std::size_t i = 0; i < x.values().size(); ++i) x.values()[i] = static_cast<float>(i * 7919 % 256) / 128 - 1;
  const auto want = predict(net, x);
  output.put(want.values());

  const auto quantized = quantize(net, x);
  save(quantized, folder + "/digits.int8.safetensors");
  const auto loaded = load_quantized<Digits>(folder + "/digits.int8.safetensors");
  output.put(std::span<const std::int8_t>(loaded.data()->weights));
  output.put(predict(loaded, x).values());

  Batcher batcher(net, {.workers = 2, .max_batch = 20});
  const auto answer = batcher.async(x).get();
  for (std::size_t i = 0; i < want.values().size(); ++i)
    require(answer.values()[i] == want.values()[i], "the answer of a Batcher");

  const std::string weights = folder + "/digits.safetensors";
  save(net, weights);
  require(!digits_open((folder + "/no").c_str()), "that there are no such weights");
  digits_model* const model = digits_open(weights.c_str());
  require(model != nullptr, digits_error());
  std::vector<float> y(want.values().size());
  require(digits_predict(model, x.data(), 20, y.data()) == 0, digits_error());
  require(digits_self_tested(model) == 1, "that the weights are tested");
  digits_close(model);
  output.put(y);
}

}  // namespace

int main(int, char** arguments) {
  const std::string folder = std::string(arguments[1]) + ".parts";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::FILE* to = std::fopen(arguments[1], "wb");
  if (to == nullptr) return 1;
  const Output output{to};
  files(folder, output);
  small_networks(folder, output);
  digits(folder, output);
  std::filesystem::remove_all(folder);
  return std::fclose(to);
}

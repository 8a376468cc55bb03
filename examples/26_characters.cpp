// SPDX-License-Identifier: MIT
// A network that reads a text letter by letter learns which letter comes next, and then writes a text of its own: each letter
// is drawn from what it expects, and read in its turn.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/arguments.hpp"

#include <sinter/sinter.hpp>

using namespace sinter;

// [network]
constexpr int window = 64, letters = 96;  // printable ASCII and the end of a line
struct Writer : Sequential<Input<window>, Embedding<letters, 24>, GRU<96>, PositionwiseLinear<letters>> {};
constexpr auto next_letters = at_each_step<Writer>(CrossEntropyLoss{});
// [/network]

/// Letters as numbers from 0 to 95, others as '?'.
std::vector<float> numbers_of(const std::string& text) {
  std::vector<float> numbers;
  for (const char c : text)
    numbers.push_back(static_cast<float>(c == '\n' ? 95 : c >= ' ' && c <= '~' ? c - ' ' : '?' - ' '));
  return numbers;
}
char letter_of(int number) { return number == 95 ? '\n' : static_cast<char>(number + ' '); }

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("--text: cannot read " + path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (text.size() < 2000) throw std::runtime_error("--text: " + path + " is shorter than 2000 letters");
  return text;
}

/// A letter drawn from softmax(scores / temperature).
int draw(std::span<const float> scores, double temperature, std::mt19937& random) {
  const double largest = static_cast<double>(*std::max_element(scores.begin(), scores.end()));
  std::vector<double> chances;
  double sum = 0;
  for (const float score : scores)
    sum += chances.emplace_back(std::exp((static_cast<double>(score) - largest) / temperature));
  double at = sum * static_cast<double>(random()) / 4294967296.0;
  int letter = 0;
  while (letter + 1 < letters && at >= chances[static_cast<std::size_t>(letter)])
    at -= chances[static_cast<std::size_t>(letter++)];
  return letter;
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string path = arguments.get("--text", "docs/networks.md", "a file to learn from");
  const int epochs = arguments.get("--epochs", 8, 1, "times through the text");
  const int threads = arguments.get("--threads", 1, 1, "threads of the host");
  const auto most = arguments.get("--letters", 600, 0, "letters to write");
  const double temperature =
      arguments.get("--temperature", 0.5, 0.01, "sampling temperature: 1 samples from the predicted probabilities");
  const std::string begin = arguments.get("--begin", "A network ", "the first letters");
  arguments.finish();

  // Windows of the text and, for each of their letters, the one after it, read in place; the last tenth is held out.
  const std::vector<float> text = numbers_of(read_text(path));
  const auto windows = [&](std::size_t first, std::size_t end, std::size_t apart) {
    const std::size_t rows = (end - first - window - 1) / apart + 1;
    const auto from = [&](std::size_t letter) {
      return TensorView<const float, Shape<window>>{
          .data = text.data() + letter, .rows = rows, .row_stride = static_cast<std::ptrdiff_t>(apart)};
    };
    return dataset(from(first), from(first + 1));
  };
  const std::size_t known = text.size() - text.size() / 10;
  Network<Writer> net{Host{.threads = threads}, {.seed = 1}};
  fit(net, windows(0, known, 8), next_letters, Adam{.lr = 0.003}, {.batch_size = 64, .epochs = epochs}, Progress{});
  const auto held_out = windows(known, text.size(), window);
  std::printf("%.2f bits per character of the last tenth of %zu, %.0f %% predicted\n",
              evaluate(net, held_out, next_letters).loss / std::log(2), text.size(),
              100 * score(net, held_out, next_letters));

  // [write]
  const StreamWeights<Writer> weights(net);
  Stream<Writer> writer(weights);
  std::vector<float> scores(letters);
  for (const float letter : numbers_of(begin)) writer.push({&letter, 1}, scores);
  std::mt19937 random(1);
  std::fputs(begin.c_str(), stdout);
  for (int i = 0; i < most; ++i) {
    const float letter = static_cast<float>(draw(scores, temperature, random));
    std::putchar(letter_of(static_cast<int>(letter)));
    writer.push({&letter, 1}, scores);
  }
  // [/write]
  std::putchar('\n');
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

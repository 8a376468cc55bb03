// SPDX-License-Identifier: MIT
// A network that reads a text letter by letter learns which letter comes next, and then writes a text of its own: each letter
// is drawn from what it expects, and read in its turn. --model attention is a decoder of transformer layers.
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
template <class Model>
constexpr auto next_letters = at_each_step<Model>(CrossEntropyLoss{});
// [/network]
// [decoder]
using Block = TransformerEncoderLayer<64, 4, 128, NormFirst, Causal>;
struct Decoder : Sequential<Input<window>, Embedding<letters, 64>, PositionEmbedding<window, 64>, Block, Block,
                            LayerNorm<NormalizedShape<64>>, PositionwiseLinear<letters>> {};
// [/decoder]

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

/// Reads a text letter by letter, and says how much it expects of each letter to be the next.
template <class Model>
class Reader {
 public:
  explicit Reader(const Network<Model>& net) : weights_(net), stream_(weights_) {}

  // [read]
  /// A decoder knows as many positions as its window has: at the last, it begins anew with the second half of it.
  std::span<const float> read(float letter) {
    if (stream_.moments() == Stream<Model>::max_moments) {
      stream_.reset();
      for (const float before : std::vector<float>(last_.end() - window / 2, last_.end())) push(before);
    }
    push(letter);
    return scores_;
  }
  // [/read]

 private:
  void push(float letter) {
    last_.push_back(letter);
    stream_.push({&letter, 1}, scores_);
  }
  const StreamWeights<Model> weights_;
  Stream<Model> stream_;
  std::vector<float> last_, scores_ = std::vector<float>(letters);
};

struct Options {
  int epochs, threads, letters;
  double temperature;
  std::string begin;
};

template <class Model>
void learn_and_write(const std::vector<float>& text, const Options& options) {
  // Windows of the text and, for each of their letters, the one after it, read in place; the last tenth is held out.
  const auto windows = [&](std::size_t first, std::size_t end, std::size_t apart) {
    const std::size_t rows = (end - first - window - 1) / apart + 1;
    const auto from = [&](std::size_t letter) {
      return TensorView<const float, Shape<window>>{
          .data = text.data() + letter, .rows = rows, .row_stride = static_cast<std::ptrdiff_t>(apart)};
    };
    return dataset(from(first), from(first + 1));
  };
  const std::size_t known = text.size() - text.size() / 10;
  Network<Model> net{Host{.threads = options.threads}, {.seed = 1}};
  fit(net, windows(0, known, 8), next_letters<Model>, Adam{.lr = 0.003}, {.batch_size = 64, .epochs = options.epochs},
      Progress{});
  const auto held_out = windows(known, text.size(), window);
  std::printf("%.2f bits per character of the last tenth of %zu, %.0f %% predicted\n",
              evaluate(net, held_out, next_letters<Model>).loss / std::log(2), text.size(),
              100 * score(net, held_out, next_letters<Model>));

  // [write]
  Reader<Model> reader(net);
  std::span<const float> scores;
  for (const float letter : numbers_of(options.begin)) scores = reader.read(letter);
  std::mt19937 random(1);
  std::fputs(options.begin.c_str(), stdout);
  for (int i = 0; i < options.letters; ++i) {
    const int letter = draw(scores, options.temperature, random);
    std::putchar(letter_of(letter));
    scores = reader.read(static_cast<float>(letter));
  }
  // [/write]
  std::putchar('\n');
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string path = arguments.get("--text", "docs/networks.md", "a file to learn from");
  const std::string model = arguments.get("--model", "gru", "gru, or attention: two layers of a transformer");
  Options options;
  options.epochs = arguments.get("--epochs", 8, 1, "times through the text");
  options.threads = arguments.get("--threads", 1, 1, "threads of the host");
  options.letters = arguments.get("--letters", 600, 0, "letters to write");
  options.temperature =
      arguments.get("--temperature", 0.5, 0.01, "sampling temperature: 1 samples from the predicted probabilities");
  options.begin = arguments.get("--begin", "A network ", "the first letters");
  arguments.finish();
  if (model != "gru" && model != "attention")
    arguments.refuse("--model was given \"" + model + "\", expected gru or attention");
  if (options.begin.empty()) throw std::runtime_error("--begin: give a letter or more to begin with");

  const std::vector<float> text = numbers_of(read_text(path));
  if (model == "gru")
    learn_and_write<Writer>(text, options);
  else
    learn_and_write<Decoder>(text, options);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

// SPDX-License-Identifier: MIT
// Words in a stream of sound: a network learns three words from seconds of synthetic speech, and then listens to a minute of
// it, 16 ms at a time. After each moment it says which word has just ended.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "support/arguments.hpp"
#include "support/speech.hpp"
#include "support/write_chart.hpp"

#include <sinter/sinter.hpp>

using namespace sinter;

// [network]
constexpr int moment = 128, moments = 64;  // samples of a moment, moments of a row: a second
struct Spotter : Sequential<Input<1, moment * moments>, Conv1d<16, 64, Stride<32>, Causal>, ReLU,
                            Conv1d<24, 4, Stride<4>, Causal>, ReLU, Transpose<1, 2>, GRU<24, FinalState>, Linear<4>> {};
// [/network]
static_assert(Stream<Spotter>::period == moment);

/// Seconds of sound, and which of the three words ended in the last 100 ms of each: 0 for none.
struct Recordings {
  Tensor<float, Shape<1, moment * moments>> sounds;
  std::vector<int> words;
  Recordings(std::size_t rows, unsigned seed) : sounds(rows), words(rows) {
    Speaker speaker(seed);
    constexpr std::size_t length = moment * moments, tenth = rate / 10;
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<float> sound(length + 2 * tenth);
      speaker.be_another();
      speaker.add_noise(sound);
      const auto say = [&](int word, std::size_t end) {
        if (Speaker::is_keyword(word) && end <= length && end + tenth > length) words[row] = word;
        return end - speaker.say(word, sound, end);
      };
      // Every other word has ended before, or goes on after the second. Half of them follow another word.
      const int word = static_cast<int>(row / 2 % 6), other = speaker.any_word();
      const std::size_t begin =
          say(word, row % 2 == 0 ? length - speaker.below(tenth) : length + 2 * tenth - speaker.below(8 * tenth));
      if (speaker.uniform() < 0.5) say(other, begin - speaker.below(begin / 2));
      std::copy_n(sound.data(), length, sounds.data() + row * length);
    }
  }
};

struct Said {
  int word;
  std::size_t end;  // in samples
};

// [listen]
/// Reads the sound as it would come from a microphone, and keeps the scores of all moments.
std::vector<Said> listen(const Network<Spotter>& net, std::span<const float> sound,
                         std::vector<std::array<float, 4>>& all) {
  const StreamWeights<Spotter> weights(net);
  Stream<Spotter> stream(weights);
  std::vector<Said> heard;
  int before = 0, times = 0;
  for (std::size_t end = moment; end <= sound.size(); end += moment) {
    auto& scores = all.emplace_back();
    stream.push(sound.subspan(end - moment, moment), scores);
    const int word = static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    times = word == before ? times + 1 : 1;
    before = word;
    if (word != 0 && times == 4) heard.push_back({word, end});
  }
  return heard;
}
// [/listen]

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const int epochs = arguments.get("--epochs", 30, 1, "times through the recordings");
  const auto rows = arguments.get("--rows", std::size_t{3000}, std::size_t{60}, "recordings to learn from");
  const int threads = arguments.get("--threads", 1, 1, "threads of the host");
  const std::string svg = arguments.get("--svg", "", "write some seconds of what the network says to this file");
  arguments.finish();

  const Recordings known(rows, 1), others(600, 2);
  Network<Spotter> net{Host{.threads = threads}, {.seed = 1}};
  fit(net, dataset(known.sounds, known.words), CrossEntropyLoss{}, Adam{.lr = 0.003},
      {.batch_size = 32, .epochs = epochs});
  std::printf("%.1f %% of 600 recordings of other speakers understood\n",
              100 * score(net, dataset(others.sounds, others.words)));

  // A minute of many speakers, with something said every second or so.
  std::vector<float> sound(static_cast<std::size_t>(60 * rate));
  std::vector<Said> said;
  Speaker speaker(3);
  speaker.add_noise(sound);
  for (std::size_t end = 8000; end < sound.size(); end += 6000 + speaker.below(6000)) {
    speaker.be_another();
    const int word = speaker.any_word();
    if (word == 0) continue;
    speaker.say(word, sound, end);
    said.push_back({word, end});
  }

  std::vector<std::array<float, 4>> all;
  const std::vector<Said> heard = listen(net, sound, all);

  // [said][heard from 125 ms before its end to 250 ms after it]: the keyword itself if it is among what was heard.
  std::array<std::array<int, 4>, 6> answers{};
  std::vector<bool> explained(heard.size());
  for (const Said& s : said) {
    std::size_t answer = heard.size();
    for (std::size_t i = 0; i < heard.size(); ++i)
      if (!explained[i] && heard[i].end + 1000 > s.end && heard[i].end < s.end + 2000)
        if (answer == heard.size() || heard[i].word == s.word) answer = i;
    if (answer < heard.size()) explained[answer] = true;
    ++answers[static_cast<std::size_t>(s.word)]
             [static_cast<std::size_t>(answer < heard.size() ? heard[answer].word : 0)];
  }
  std::printf("%-12s %6s %6s %6s %8s\n", "said", Speaker::words[1], Speaker::words[2], Speaker::words[3], "nothing");
  int right = 0, wanted = 0;
  for (std::size_t word = 1; word < answers.size(); ++word) {
    const auto& a = answers[word];
    std::printf("%-12s %6d %6d %6d %8d\n", Speaker::words[word], a[1], a[2], a[3], a[0]);
    if (Speaker::is_keyword(static_cast<int>(word))) right += a[word], wanted += a[0] + a[1] + a[2] + a[3];
  }
  std::printf("%d of %d words spotted; heard where no keyword was said: %d\n", right, wanted,
              static_cast<int>(std::count(explained.begin(), explained.end(), false)));

  Chart::Panel panel{.title = "how sure the network is that a word has just ended", .curves = {}};
  for (std::size_t word = 1; word < 4; ++word) {
    panel.curves.push_back({Speaker::words[word], chart_color(word - 1), {}});
    for (std::size_t i = 0; i < 500; ++i) {
      double sum = 0;
      for (const float score : all[i]) sum += std::exp(static_cast<double>(score - all[i][word]));
      panel.curves.back().points.push_back({static_cast<double>((i + 1) * moment) / rate, 1 / sum});
    }
  }
  panel.x_title = "seconds", panel.width = 800;
  write_chart(Chart{"Eight seconds of speech", {panel}}, svg);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdio>

#include "sinter/report/progress_text.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string loss_text(const double& loss) {
  if (!is_finite(loss) || loss == 0 || loss >= 1e-3 || loss <= -1e-3) return fixed_text(loss, 4);
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, loss, std::chars_format::scientific, 2).ptr};
}

SINTER_FUNCTION std::string rate_text(double per_second) {
  if (!(per_second > 0)) return "?/s";
  const char* unit = "";
  for (const char* next : {"k", "M", "G"})
    if (per_second >= 1000) per_second /= 1000, unit = next;
  return three_digits(per_second) + unit + "/s";
}

SINTER_FUNCTION std::string seconds_text(double seconds) {
  return seconds < 0.1 ? three_digits(seconds * 1000) + " ms" : three_digits(seconds) + " s";
}

SINTER_FUNCTION std::string clock_text(double seconds) {
  if (!(seconds >= 0 && seconds < 1e9)) return "?";
  const long total = static_cast<long>(seconds + 0.5), hours = total / 3600;
  char text[32];
  if (hours > 0)
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", hours, total / 60 % 60, total % 60);
  else
    std::snprintf(text, sizeof text, "%02ld:%02ld", total / 60, total % 60);
  return text;
}

SINTER_FUNCTION std::string epoch_text(int epoch, int epochs) {
  std::string number = std::to_string(epoch);
  if (epochs <= 0) return "epoch " + number;
  const std::string last = std::to_string(epochs);
  if (number.size() < last.size()) number.insert(0, last.size() - number.size(), ' ');
  return "epoch " + number + "/" + last;
}

SINTER_FUNCTION std::string bar_text(double fraction, std::size_t cells, bool unicode) {
  const double filled = (fraction < 0 ? 0 : fraction > 1 ? 1 : fraction) * static_cast<double>(cells);
  const std::size_t whole = static_cast<std::size_t>(filled);
  std::string bar;
  for (std::size_t i = 0; i < whole; ++i) bar += unicode ? "█" : "#";
  if (whole == cells) return bar;
  constexpr const char* eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  bar += unicode ? eighths[static_cast<std::size_t>((filled - static_cast<double>(whole)) * 8)] : " ";
  return bar.append(cells - whole - 1, ' ');
}

SINTER_FUNCTION LiveLine live_line(const BatchInfo& info, double seconds, const Terminal& terminal) {
  const double done = static_cast<double>(info.samples_done), total = static_cast<double>(info.samples_total);
  const double fraction = total > 0 ? done / total : 1, rate = seconds > 0 ? done / seconds : 0;
  std::string percent = std::to_string(static_cast<int>(fraction * 100));
  percent.insert(0, percent.size() < 3 ? 3 - percent.size() : 0, ' ');
  const std::string left = epoch_text(info.epoch, info.epochs) + " " + percent + "%";
  const std::string all = std::to_string(info.samples_total);
  std::string some = std::to_string(info.samples_done);
  some.insert(0, some.size() < all.size() ? all.size() - some.size() : 0, ' ');
  const std::string right = " " + some + "/" + all + " [" + clock_text(seconds) + "<" +
                            clock_text(rate > 0 ? (total - done) / rate : -1) + ", " + rate_text(rate) + "] loss " +
                            loss_text(info.loss);

  constexpr std::size_t longest_bar = 20, shortest_bar = 4;
  const std::size_t columns = static_cast<std::size_t>(terminal.columns > 1 ? terminal.columns - 1 : 1);
  const std::size_t words = left.size() + 2 + right.size();
  if (words + shortest_bar > columns) {
    const std::string line = (left + right).substr(0, columns);
    return {line, line.size()};
  }
  const std::size_t cells = columns - words < longest_bar ? columns - words : longest_bar;
  std::string bar = bar_text(fraction, cells, terminal.unicode);
  if (terminal.color) bar = "\x1b[32m" + bar + "\x1b[0m";
  return {left + "|" + bar + "|" + right, words + cells};
}

SINTER_FUNCTION std::string percent_text(const double& fraction) { return fixed_text(fraction * 100, 2) + " %"; }

SINTER_FUNCTION std::string known_loss(const char* name, const double& loss) {
  return is_finite(loss) ? std::string("  ") + name + " " + loss_text(loss) : "";
}

SINTER_FUNCTION std::string known_accuracy(const double& fraction) {
  return is_finite(fraction) ? "  accuracy " + percent_text(fraction) : "";
}

SINTER_FUNCTION std::string of_heads(const EpochRecord& record, double HeadRecord::* value, const char* between,
                                     std::string (*text)(const double&)) {
  std::string all;
  bool known = false;
  for (const HeadRecord& head : record.heads) {
    known |= is_finite(head.*value);
    all += all.empty() ? "(" : ", ";
    all += is_finite(head.*value) ? text(head.*value) : "-";
  }
  return known ? between + all + ")" : "";
}

SINTER_FUNCTION std::string finished_line(const EpochRecord& record, int epochs, std::size_t samples) {
  std::string line = epoch_text(record.epoch, epochs) + "  " + seconds_text(record.seconds);
  if (samples > 0 && record.seconds > 0) line += "  " + rate_text(static_cast<double>(samples) / record.seconds);
  return line + known_loss("loss", record.train_loss) + of_heads(record, &HeadRecord::train_loss, " ", loss_text) +
         known_loss("validation loss", record.validation_loss) +
         of_heads(record, &HeadRecord::validation_loss, " ", loss_text) + known_accuracy(record.validation_accuracy) +
         of_heads(record, &HeadRecord::validation_accuracy, "  accuracy ", percent_text);
}

}  // namespace detail

SINTER_NAMESPACE_END

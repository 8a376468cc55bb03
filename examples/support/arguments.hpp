// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

/// `--name value` on a command line. Each `get` names an option, its default and its meaning; `finish` refuses unknown
/// options, and answers --help. Errors say what was expected, and end the program with status 2.
class Arguments {
 public:
  Arguments(int count, char** values) : program_(values[0]), given_(values + 1, values + count) {
    for (const auto& word : given_) help_ |= word == "--help" || word == "-h";
    program_.erase(0, program_.rfind('/') + 1);
  }

  std::string get(const std::string& name, const std::string& otherwise, const std::string& meaning) {
    describe(name, otherwise, meaning);
    std::string value = otherwise;
    for (std::size_t i = 0; !help_ && i < given_.size(); i += 2) {
      if (given_[i] != name) continue;
      if (i + 1 == given_.size()) refuse(name + " was given no value, expected one after it: " + meaning);
      value = given_[i + 1];
    }
    return value;
  }

  template <class Number>
    requires std::is_arithmetic_v<Number>
  Number get(const std::string& name, Number otherwise, Number least, const std::string& meaning) {
    char shown[32];
    std::snprintf(shown, sizeof shown, "%g", static_cast<double>(otherwise));
    const std::string text = get(name, std::string(shown), meaning);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool whole = std::is_floating_point_v<Number> || std::floor(value) == value;
    const bool fits = value >= static_cast<double>(least) && value <= limit<Number>();
    if (text.empty() || *end != '\0' || !whole || !fits) {
      char range[96];
      std::snprintf(range, sizeof range, "number from %g to %.16g: ", static_cast<double>(least), limit<Number>());
      refuse(name + " was given \"" + text + "\", expected a " + (std::is_integral_v<Number> ? "whole " : "") + range +
             meaning);
    }
    return static_cast<Number>(value);
  }

  /// Call it after the last get.
  void finish() const {
    if (help_) {
      std::printf("%s%s\n", program_.c_str(), options_.empty() ? ": takes no options" : " [option value]..");
      for (const auto& option : options_)
        std::printf("  %-13s %s%s\n", option.name.c_str(), option.meaning.c_str(),
                    option.otherwise.empty() ? "" : (" [" + option.otherwise + "]").c_str());
      std::exit(0);
    }
    for (std::size_t i = 0; i < given_.size(); i += 2) {
      std::string known;
      bool found = false;
      for (const auto& option : options_) {
        found |= option.name == given_[i];
        known += (known.empty() ? "" : ", ") + option.name;
      }
      if (!found)
        refuse("\"" + given_[i] + "\" is not an option, expected " +
               (known.empty() ? "none: this program takes no options" : "one of " + known + "; --help explains them"));
    }
  }

  [[noreturn]] void refuse(const std::string& what) const {
    std::fprintf(stderr, "%s: %s\n", program_.c_str(), what.c_str());
    std::exit(2);
  }

 private:
  struct Option {
    std::string name, otherwise, meaning;
  };
  void describe(const std::string& name, const std::string& otherwise, const std::string& meaning) {
    options_.push_back({name, otherwise, meaning});
  }
  template <class Number>
  static double limit() {  // whole numbers that double holds exactly
    return std::is_floating_point_v<Number> ? std::numeric_limits<double>::max()
           : sizeof(Number) > 4             ? 0x1p53
                                            : static_cast<double>(std::numeric_limits<Number>::max());
  }

  std::string program_;
  std::vector<std::string> given_;
  std::vector<Option> options_;
  bool help_ = false;
};

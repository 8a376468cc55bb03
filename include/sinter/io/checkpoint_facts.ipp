// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/finite.hpp"
#include "sinter/core/json_text.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/io/checkpoint_facts.hpp"
#include "sinter/io/checksum.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string json_object_of(const NamedOptions& options) {
  std::string members;
  for (const NamedOption& option : options)
    members += joined({members.empty() ? "" : ",", json_string(option.name), ":", json_string(option.value)});
  return joined({"{", members, "}"});
}

SINTER_FUNCTION std::string checkpoint_text(const CheckpointFacts& facts) {
  std::string factors;
  for (const double factor : facts.factors) factors += joined({factors.empty() ? "" : ",", exact_text(factor)});
  const std::string of_model = joined({"{\"version\":", checkpoint_version,
                                       ",\"optimizer\":", json_string(facts.optimizer), ",\"model\":", facts.model});
  return joined({of_model, ",\"seed\":", facts.seed, ",\"steps\":", facts.steps, ",\"attempts\":", facts.attempts,
                 ",\"rate\":", exact_text(facts.rate), ",\"factors\":[", factors, "],\"options\":",
                 json_object_of(facts.options), ",\"callback_options\":", json_object_of(facts.callback_options), "}"});
}

SINTER_FUNCTION CheckpointFacts parse_checkpoint_text(std::string_view text, std::string_view file) {
  CheckpointFacts facts;
  JsonReader json(text, joined({"the metadata ", key_checkpoint, " of ", file}));
  constexpr std::string_view keys[] = {
      "optimizer", "model", "seed", "steps", "attempts", "rate", "factors", "options", "callback_options", "version"};
  constexpr const char* expected =
      "version, optimizer, model, seed, steps, attempts, rate, factors, options and callback_options, once each";
  std::uint64_t* const whole[] = {&facts.model, &facts.seed, &facts.steps, &facts.attempts};
  const auto read_options = [&](NamedOptions& options) {
    json.object([&](const std::string& name) { options.push_back({name, json.string()}); });
  };
  const auto require_version = [&](std::uint64_t version) {
    if (version != checkpoint_version)
      fail(joined(
          {file, " is a checkpoint of version ", version, ", expected ", checkpoint_version,
           ": its training would not continue with the same bits; resume with the version of sinter that wrote it, "
           "or begin a new training with the weights that load(.., {.partial = true}) takes from it"}));
  };
  unsigned seen = 0;
  json.object([&](const std::string& key) {
    unsigned which = 0;
    while (which < 10 && keys[which] != key) ++which;
    if (which == 10 || (seen & 1u << which)) json.refuse(expected);
    seen |= 1u << which;
    if (which == 0)
      facts.optimizer = json.string();
    else if (which < 5)
      *whole[which - 1] = json.whole_number();
    else if (which == 5)
      facts.rate = json.number();
    else if (which == 6)
      json.array([&] { facts.factors.push_back(json.number()); });
    else if (which < 9)
      read_options(which == 7 ? facts.options : facts.callback_options);
    else
      require_version(json.whole_number());
  });
  json.end();
  if (!(seen >> 9)) require_version(1);
  if (seen != 1023) json.refuse(expected);
  bool possible = facts.steps <= facts.attempts && facts.attempts <= std::uint64_t{1} << 53 && is_finite(facts.rate);
  for (const double factor : facts.factors) possible = possible && is_finite(factor) && factor >= 0;
  if (!possible)
    fail(joined({file, " says that ", facts.steps, " of ", facts.attempts, " steps were made at the rate ",
                 exact_text(facts.rate),
                 ", expected no more steps than attempts, finite rates and factors of 0 or more; "
                 "it is damaged: resume from another checkpoint"}));
  return facts;
}

}  // namespace detail

SINTER_NAMESPACE_END

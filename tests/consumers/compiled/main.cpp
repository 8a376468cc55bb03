// SPDX-License-Identifier: MIT
// Files of both kinds in one program: this one only declares the functions that name no model, part.cpp has their bodies.
#include <cstdio>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>

#include "part.hpp"

static_assert(!SINTER_BODIES);

struct Xor : sinter::Sequential<sinter::Input<2>, sinter::Linear<2>, sinter::LogSoftmax> {};

int main() {
  sinter::Network<Xor> net{sinter::Host{.threads = 2}, {.seed = 1}};
  const auto data = sinter::disc(200, 1);
  const auto history = fit(net, data, sinter::NLLLoss{}, sinter::SGD{.lr = 0.1}, {.epochs = 1});
  const bool trained = text_of(history) == history.csv_text() && text_of(history).starts_with("epoch,");

  std::string refused;
  try {
    sinter::parse_csv("x,y\n1\n");
  } catch (const sinter::Error& error) {
    refused = error.what();
  }
  const bool same = disc_of_part() == &sinter::disc && refused == refused_in_part();
  std::printf("trained: %d, one function: %d, \"%s\"\n", trained, same, refused.c_str());
  return trained && same && !refused.empty() ? 0 : 1;
}

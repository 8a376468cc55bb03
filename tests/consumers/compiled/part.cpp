// SPDX-License-Identifier: MIT
#include "part.hpp"

#include <sinter/io.hpp>

static_assert(SINTER_BODIES);

std::string text_of(const sinter::History& history) { return history.csv_text(); }

std::string refused_in_part() {
  try {
    sinter::parse_csv("x,y\n1\n");
  } catch (const sinter::Error& error) {
    return error.what();
  }
  return {};
}

decltype(&sinter::disc) disc_of_part() { return &sinter::disc; }

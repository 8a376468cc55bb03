// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/data/disc.hpp>
#include <sinter/report/history.hpp>
#include <string>

std::string text_of(const sinter::History& history);
std::string refused_in_part();
decltype(&sinter::disc) disc_of_part();

// SPDX-License-Identifier: MIT
#include "support/ptx/counts.hpp"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace sinter_test::ptx {
namespace {

/// TrainTiles of void sinter::..entry<sinter::..::TrainTiles<Net, ..> >(..).
std::string short_name(const std::string& mangled) {
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  int status = 0;
  const std::unique_ptr<char, Free> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status));
  std::string name = status == 0 ? text.get() : mangled;
  if (const auto inner = name.find("entry<"); inner != std::string::npos) name = name.substr(inner + 6);
  std::string last;  // of the phases of a list, too, which one it is
  if (const auto end = name.rfind(" >("); end != std::string::npos)
    if (const auto comma = name.rfind(", ", end); comma != std::string::npos)
      for (std::size_t at = comma + 2; at < end && name[at] >= '0' && name[at] <= '9'; ++at) last += name[at];
  name = name.substr(0, name.find('<'));
  const auto colon = name.rfind("::");
  name = colon == std::string::npos ? name : name.substr(colon + 2);
  return last.empty() ? name : name + " " + last;
}

void add_line(std::string& to, const std::string& name, const Counts& counts) {
  char cell[64];
  std::snprintf(cell, sizeof cell, "%-22s %10llu", name.c_str(), static_cast<unsigned long long>(counts.total()));
  to += cell;
  for (std::size_t kind = 0; kind < static_cast<std::size_t>(Kind::count); ++kind) {
    std::snprintf(cell, sizeof cell, " %9llu", static_cast<unsigned long long>(counts.warps[kind]));
    to += cell;
  }
  const std::uint64_t total = counts.total();
  std::snprintf(cell, sizeof cell, " %9llu %5.1f\n", static_cast<unsigned long long>(counts.sectors),
                total == 0 ? 0. : static_cast<double>(counts.threads) / static_cast<double>(total));
  to += cell;
}

}  // namespace

std::string table(const std::map<std::string, KernelCounts>& kernels, bool with_phases) {
  std::string text;
  char cell[64];
  std::snprintf(cell, sizeof cell, "%-22s %10s", "warp instructions", "all");
  text += cell;
  for (const char* name : names_of_kinds) {
    std::snprintf(cell, sizeof cell, " %9s", name);
    text += cell;
  }
  text += "   sectors lanes\n";
  Counts all;
  for (const auto& [name, kernel] : kernels) {
    Counts sum;
    for (const auto& [line, counts] : kernel.phases) sum += counts;
    all += sum;
    add_line(text, short_name(name), sum);
    text += "  " + std::to_string(kernel.launches) + " launches, " + std::to_string(kernel.blocks) + " blocks\n";
    if (!with_phases || kernel.phases.size() < 2) continue;
    for (const auto& [line, counts] : kernel.phases) add_line(text, "  line " + std::to_string(line), counts);
  }
  add_line(text, "all", all);
  return text;
}

}  // namespace sinter_test::ptx

// SPDX-License-Identifier: MIT
// A plugin for g++ 12 that charges the processor's seconds to functions, written as "phase, seconds, name" to the file
// that SINTER_PROFILE names: "parse" until a function's body has been read or instantiated, "early" for the passes over
// it before the program is optimised as a whole, "late" for those after, "whole" for passes over the program.
// GCC's headers must come in this order, and before the standard library's.
// clang-format off
#include <gcc-plugin.h>
#include <plugin-version.h>
#include <tree.h>
#include <tree-pass.h>
#include <context.h>
#include <function.h>
// clang-format on
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

int plugin_is_GPL_compatible;

namespace {

using Charge = std::pair<std::string, std::string>;  // phase and name

std::map<Charge, double> seconds;
Charge current{"parse", ""};
double since = 0;
bool whole_done = false;

double now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void begin(const Charge& next) {
  const double time = now();
  seconds[current] += time - since;
  since = time;
  current = next;
}

std::string name_of(tree declaration) {
  if (DECL_ASSEMBLER_NAME_SET_P(declaration)) return IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(declaration));
  return DECL_NAME(declaration) ? IDENTIFIER_POINTER(DECL_NAME(declaration)) : "";
}

void on_pass(void* pass, void*) {
  const auto* of = static_cast<opt_pass*>(pass);
  if (of->type == SIMPLE_IPA_PASS || of->type == IPA_PASS)
    begin({"whole", of->name});
  else if (current_function_decl)
    begin({whole_done ? "late" : "early", name_of(current_function_decl)});
}

void on_body(void* declaration, void*) {
  current = {"parse", name_of(static_cast<tree>(declaration))};
  begin({"parse", ""});
}

void on_whole_done(void*, void*) { whole_done = true; }

void on_finish(void*, void*) {
  begin({});
  FILE* out = std::fopen(std::getenv("SINTER_PROFILE"), "w");
  if (!out) return;
  for (const auto& [charge, time] : seconds)
    std::fprintf(out, "%s\t%.6f\t%s\n", charge.first.c_str(), time, charge.second.c_str());
  std::fclose(out);
}

}  // namespace

int plugin_init(plugin_name_args* info, plugin_gcc_version* version) {
  if (!plugin_default_version_check(version, &gcc_version)) return 1;
  since = now();
  register_callback(info->base_name, PLUGIN_PASS_EXECUTION, on_pass, nullptr);
  register_callback(info->base_name, PLUGIN_ALL_IPA_PASSES_END, on_whole_done, nullptr);
  register_callback(info->base_name, PLUGIN_PRE_GENERICIZE, on_body, nullptr);
  register_callback(info->base_name, PLUGIN_FINISH, on_finish, nullptr);
  return 0;
}

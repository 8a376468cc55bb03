// SPDX-License-Identifier: MIT
// sinter-serve: networks compiled by sinter_add_model_library, answered over HTTP by the Open Inference Protocol.
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#ifdef SINTER_SERVE_GRPC
#include "grpc_server.hpp"
#endif
#include "body_memory.hpp"
#include "host_names.hpp"
#include "http_server.hpp"
#include "listener.hpp"
#include "messages.hpp"
#include "models.hpp"
#include "routes.hpp"
#include "token.hpp"

namespace {

using namespace sinter_serve;
using namespace std::chrono_literals;

struct Options {
  std::vector<ServedModel> models;
  std::vector<std::string> hosts;
  std::string address = "127.0.0.1", token;
  int port = 8080, grpc = -1;  // no gRPC
  std::chrono::seconds drain{1};
  bool log = true, page = false;
  sinter::BatcherOptions batches{};
  Limits limits{};
};

constexpr const char* usage =
    R"(sinter-serve --model NAME[/VERSION]=LIBRARY,WEIGHTS [option]..

  --model NAME[/VERSION]=LIBRARY,WEIGHTS   a library of sinter_add_model_library, and a safetensors file; VERSION is a
                                           number, 1 unless given; more than once for several models
  --http PORT             [8080]           0: any that is free
  --grpc PORT                              answers by gRPC too; 0: any that is free
  --address ADDRESS       [127.0.0.1]      0.0.0.0 or :: for every network that this machine has
  --host NAME                              by which clients may address it besides localhost and its address, such as
                                           that of a proxy; no scheme, no port; more than once for several names
  --token-file FILE                        wants Authorization: Bearer with its line, but for the paths of health
  --workers N             [1]              threads that compute, for each model
  --max-batch ROWS        [32]             of a batch, and of one request
  --max-delay US          [200]            how long a request waits for others, in microseconds
  --max-waiting ROWS      [1024]           that may wait; requests beyond them are answered by 503
  --max-body BYTES        [16777216]       of a request
  --max-header BYTES      [16384]          of a request
  --connections N         [128]            at the same time; those beyond them are answered by 503
  --request-time SECONDS  [10]             for sending a request, and for taking its answer
  --idle-time SECONDS     [60]             until a connection without requests is closed
  --drain SECONDS         [1]              after SIGTERM, until it takes no more connections; it is not ready then
  --page                                   a page to draw in at /, for models of pictures with one channel
  --no-log                                 no line for each request on the standard output

SIGTERM and SIGINT answer what has come, and end; a second one ends the time to drain. SIGHUP reads the weights of
all models that run again; those that do not fit, or do not pass their self-test, leave the former ones in use.
)";

[[noreturn]] void refuse(const std::string& text) {
  std::fprintf(stderr, "sinter-serve: %s\nsinter-serve --help lists the options\n", text.c_str());
  std::exit(2);
}

long number(const std::string& name, const std::string& text, long least, long most) {
  long value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < least || value > most)
    refuse(name + " was given \"" + shown(text) + "\", expected a whole number from " + std::to_string(least) + " to " +
           std::to_string(most));
  return value;
}

ServedModel model_of(const std::string& text) {
  const std::size_t equals = text.find('='), comma = text.find(',', equals == text.npos ? 0 : equals);
  const std::string expected =
      "--model was given \"" + shown(text) + "\", expected NAME=LIBRARY,WEIGHTS or NAME/VERSION=LIBRARY,WEIGHTS";
  if (equals == text.npos || comma == text.npos || comma == equals + 1 || comma + 1 == text.size()) refuse(expected);
  ServedModel model{text.substr(0, equals), "1", text.substr(equals + 1, comma - equals - 1), text.substr(comma + 1)};
  if (const std::size_t slash = model.name.find('/'); slash != text.npos) {
    model.version = model.name.substr(slash + 1);
    model.name.erase(slash);
  }
  const auto only = [](const std::string& of, const char* characters) {
    return !of.empty() && of.size() <= 100 && of.find_first_not_of(characters) == of.npos;
  };
  if (!only(model.name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"))
    refuse(expected + "; a name has letters, digits, and _ . -");
  if (model.name == "." || model.name == ".." || model.name == "stats")
    refuse(expected + "; paths have another meaning for \"" + model.name + "\": give the model another name");
  if (!only(model.version, "0123456789") || model.version[0] == '0')
    refuse(expected + "; a version is a number above 0");
  return model;
}

std::string host_of(const std::string& text) {
  if (!is_host_name(text))
    refuse("--host was given \"" + shown(text) +
           "\", expected a name or an address as digits.example.org or [::1], without scheme, port or wildcard");
  return text;
}

Options options_of(int count, char** values) {
  Options options;
  using Take = std::function<void(const std::string&)>;
  const auto whole = [](const char* name, auto& to, long least, long most) {
    return std::pair<const std::string, Take>{
        name, [=, &to](const std::string& text) {
          to = static_cast<std::remove_reference_t<decltype(to)>>(number(name, text, least, most));
        }};
  };
  auto& batches = options.batches;
  auto& limits = options.limits;
  const std::map<std::string, Take> known{
      {"--model", [&](const std::string& text) { options.models.push_back(model_of(text)); }},
      {"--address", [&](const std::string& text) { options.address = text; }},
      {"--host", [&](const std::string& text) { options.hosts.push_back(host_of(text)); }},
      {"--token-file", [&](const std::string& text) { options.token = read_token(text); }},
      whole("--http", options.port, 0, 65535),
      whole("--grpc", options.grpc, 0, 65535),
      whole("--drain", options.drain, 0, 3600),
      whole("--workers", batches.workers, 1, 1024),
      whole("--max-batch", batches.max_batch, 1, 1 << 20),
      whole("--max-delay", batches.max_delay, 0, 10'000'000),
      whole("--max-waiting", batches.max_waiting, 1, 1 << 30),
      whole("--max-body", limits.body, 1, 1 << 30),
      whole("--max-header", limits.header, 256, 1 << 20),
      whole("--connections", limits.connections, 1, 900),
      whole("--request-time", limits.request, 1, 3600),
      whole("--idle-time", limits.idle, 1, 86400)};
  for (int i = 1; i < count; ++i) {
    const std::string name = values[i];
    if (name == "--help" || name == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    if (name == "--no-log") {
      options.log = false;
      continue;
    }
    if (name == "--page") {
      options.page = true;
      continue;
    }
    const auto found = known.find(name);
    if (found == known.end()) refuse("there is no option \"" + shown(name) + "\"");
    if (++i == count) refuse(name + " was given no value");
    found->second(values[i]);
  }
  if (options.models.empty()) refuse("no --model was given");
#ifndef SINTER_SERVE_GRPC
  if (options.grpc >= 0)
    refuse("--grpc was given, and this program was built without gRPC; build it with -D SINTER_SERVE_GRPC=ON");
#endif
  if (options.page && !options.token.empty())
    refuse("--page and --token-file were given, and the page knows no token; leave one of them out");
  return options;
}

/// Whether a signal that ends the program is pending. It takes precedence over signals to read weights again.
bool is_to_end() {
  sigset_t waiting;
  sigpending(&waiting);
  return sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1;
}

/// Else a socket could take the place of a standard file that is closed, and get the log.
void open_standard_files() {
  for (int file = 0; file <= 2; ++file)
    if (fcntl(file, F_GETFD) < 0) static_cast<void>(open("/dev/null", O_RDWR));
}

void reload(Models& models, Messages& say) {
  for (const std::string& name : models.names()) {
    try {
      if (models.load(name, false)) say("read the weights of " + name + " again");
    } catch (const std::exception& error) {
      say("the weights of " + name + " stay what they were: " + error.what());
    }
  }
}

/// Waits for a signal that ends the program, and reads weights again until then.
void wait_for_end(const sigset_t& signals, Models& models, Messages& say) {
  for (int signal = 0; sigwait(&signals, &signal) == 0;) {
    if (signal != SIGHUP || is_to_end()) break;
    reload(models, say);
  }
}

/// Load balancers have this time to see that no more requests are wanted. Another signal ends it.
void wait_for_drain(std::chrono::seconds time) {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT}) sigaddset(&ends, signal);
  const timespec most{time.count(), 0};
  sigtimedwait(&ends, nullptr, &most);
}

void run(Options& options, const sigset_t& signals, Messages& say) {
  Models models(options.batches);
  for (ServedModel& model : options.models) models.add(std::move(model));
  AccessLog log(options.log);
  Listener listener(options.address, options.port);
  BodyMemory memory(options.limits.bodies());
  Routes routes(models, log, say, memory, HostNames(options.hosts, options.address, listener.is_loopback()),
                options.token, options.page);
#ifdef SINTER_SERVE_GRPC
  std::optional<GrpcServer> grpc;
  if (options.grpc >= 0) grpc.emplace(models, log, options.token, options.limits, options.address, options.grpc);
#endif
  HttpServer server(listener, options.limits, memory, routes, log);
  const bool is_ipv6 = options.address.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? "[" + options.address + "]:" : options.address + ":";
  say("listening at http://" + host + std::to_string(listener.port()));
#ifdef SINTER_SERVE_GRPC
  if (grpc) say("listening for gRPC at " + host + std::to_string(grpc->port()));
#endif
  if (!listener.is_loopback() && options.token.empty())
    say("warning: whoever reaches " + options.address +
        " may ask its models, load and unload them, because there is no --token-file");

  wait_for_end(signals, models, say);
  say("answering what has come, and ending");
  models.drain();
  server.drain();
  wait_for_drain(options.drain);
  server.close(std::clamp<std::chrono::milliseconds>(options.drain, 50ms, 1s));
#ifdef SINTER_SERVE_GRPC
  if (grpc) grpc->drain();
#endif
  server.stop();
  models.stop();
}

}  // namespace

int main(int count, char** values) try {
  open_standard_files();
  Options options = options_of(count, values);
  // Threads inherit it: signals are waited for.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  for (const int refused : {SIGPIPE, SIGXFSZ}) signal(refused, SIG_IGN);  // what writes gets an error, and goes on
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 4);  // one arena per thread would keep the memory of large requests
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
  Messages say;
  try {
    run(options, signals, say);
  } catch (const std::exception& error) {
    say(error.what());
    return 1;
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "sinter-serve: %s\n", error.what());
  return 1;
}

// SPDX-License-Identifier: MIT
// libFuzzer target: bytes of a connection are a request, or are refused in few words; the same whole and byte by byte.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "http_body.hpp"
#include "http_head.hpp"
#include "route.hpp"

namespace {

using namespace sinter_serve;

void require(bool right) {
  if (!right) std::abort();
}

struct Outcome {
  HttpRequest request{};
  int status = 0;  // of a refusal
  std::size_t taken = 0;
};

/// Gives at most `most` bytes at a time.
Outcome outcome(std::string_view bytes, std::size_t most) {
  const Limits limits{.header = 2000, .body = 4000, .target = 200};
  BodyMemory memory(limits.bodies());
  Outcome result;
  const auto give = [&](auto& to) {
    while (!to.done() && result.taken < bytes.size()) result.taken += to.take(bytes.substr(result.taken, most));
  };
  try {
    HttpHead head(limits);
    give(head);
    if (!head.done()) return result;
    parse_head(head.text(), result.request);
    HttpBody body(result.request, limits, memory);
    give(body);
    if (body.done()) result.request.body = body.whole();
  } catch (const HttpError& error) {
    require(std::string_view(error.what()).size() < 400 && error.status >= 400 && error.status < 600);
    result.status = error.status;
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Outcome whole = outcome(bytes, size), parts = outcome(bytes, 1);
  require(whole.status == parts.status && whole.request.body == parts.request.body);
  require(whole.request.method == parts.request.method && whole.request.path == parts.request.path);
  require(whole.request.headers.all == parts.request.headers.all && whole.request.body.size() <= 4000);
  if (whole.status != 0) return 0;
  require(whole.taken == parts.taken);
  for (const auto& [name, value] : whole.request.headers.all)
    require(!name.empty() && value.find_first_of({"\r\n\0", 3}) == value.npos);
  const Route route = route_of(whole.request.method, whole.request.path);
  require(route.name.size() <= whole.request.path.size() && route.version.size() <= whole.request.path.size());
  return 0;
}

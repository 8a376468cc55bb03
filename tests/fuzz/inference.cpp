// SPDX-License-Identifier: MIT
// libFuzzer target: the body of an inference request is refused in few words, or makes as many rows as it says, and an
// answer that is JSON. The JSON ends at the first byte 0; the tensors in binary follow it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "inference.hpp"

namespace {
void require(bool right) {
  if (!right) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sinter_serve;
  const Tensors tensors{"input", "output", {1, 2}, {3}, 2, 3};
  std::string body(reinterpret_cast<const char*>(data), size);
  const std::size_t json_size = std::min(body.find('\0'), size);
  if (json_size != size) body.erase(json_size, 1);
  try {
    const InferenceRequest request = parse_inference(body, json_size, tensors, 4);
    require(request.rows >= 1 && request.rows <= 4 && request.x.size() == request.rows * 2);
    std::size_t json_part = 0;
    const std::string answer =
        inference_answer(request, "m", "1", tensors, std::vector<float>(request.rows * 3), json_part);
    require((json_part != 0) == request.binary_output);
    const std::string_view json(answer.data(), json_part != 0 ? json_part : answer.size());
    require(Json::accept(json.begin(), json.end()) &&
            answer.size() - json.size() == (json_part != 0 ? request.rows * 12 : 0));
  } catch (const BadRequest& error) {
    require(std::string_view(error.what()).size() < 400);
  }
  return 0;
}

// SPDX-License-Identifier: MIT
// libFuzzer target: a message of gRPC is refused in few words, or makes as many rows as it says, and an answer. What has
// too many parts or numbers, or is no message, is refused before it is parsed.
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "grpc_parts.hpp"
#include "grpc_request.hpp"

namespace {
void require(bool right) {
  if (!right) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sinter_serve;
  const Tensors tensors{"input", "output", {1, 2}, {3}, 2, 3};
  inference::ModelInferRequest given;
  const bool parsed = given.ParseFromArray(data, static_cast<int>(size));
  google::protobuf::io::ArrayInputStream bytes(data, static_cast<int>(size));
  try {
    const GrpcSize has = checked_size(bytes, true, 8);
    require(has.parts <= most_parts && has.numbers <= 8 && has.raw <= 8 * sizeof(float));
  } catch (const BadRequest& error) {
    const std::string_view why = error.what();
    require(!parsed || why.find("10000 parts") != why.npos || why.find("that a request may have") != why.npos);
    return 0;
  }
  if (!parsed) return 0;
  try {
    const InferenceRequest request = parse_inference(given, tensors, 4);
    require(request.rows >= 1 && request.rows <= 4 && request.x.size() == request.rows * 2);
    inference::ModelInferResponse answer;
    const std::vector<float> y(request.rows * 3);
    set_answer(answer, "m", "1", request.id, request.binary_output, tensors, request.rows, y.data());
    require(answer.raw_output_contents_size() == (request.binary_output ? 1 : 0) &&
            (request.binary_output ? answer.raw_output_contents(0).size() / 4
                                   : std::size_t(answer.outputs(0).contents().fp32_contents_size())) == y.size());
  } catch (const BadRequest& error) {
    require(std::string_view(error.what()).size() < 400);
  }
  return 0;
}

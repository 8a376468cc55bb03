// SPDX-License-Identifier: MIT
#pragma once

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "inference.hpp"

/// Messages of gRPC before they are parsed, which takes more than a hundred bytes for a part that has two.
namespace sinter_serve {

inline constexpr std::size_t most_parts = 10'000;

namespace detail {

/// A field that has parts besides itself: those of its message, or numbers, which are larger once they are parsed.
struct FieldOfParts {
  int number;
  bool is_message;
  std::span<const FieldOfParts> fields{};
};
inline constexpr FieldOfParts fields_of_contents[] = {{2, false}, {3, false}, {5, false}};      // int, int64 and uint64
inline constexpr FieldOfParts fields_of_input[] = {{3, false}, {5, true, fields_of_contents}};  // the shape

/// Adds the parts of a message to `count`.
inline void check_parts(google::protobuf::io::CodedInputStream& bytes, std::span<const FieldOfParts> fields,
                        std::size_t& count) {
  using Wire = google::protobuf::internal::WireFormatLite;
  const auto add = [&](std::size_t more) {
    if ((count += more) > most_parts)
      throw BadRequest("the message has more than " + std::to_string(most_parts) + " parts, which no request needs");
  };
  const auto require = [](bool right) {
    if (!right) throw BadRequest("the bytes are no message of this protocol");
  };
  while (const std::uint32_t tag = bytes.ReadTag()) {
    add(1);
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const FieldOfParts& one) {
      return one.number == Wire::GetTagFieldNumber(tag);
    });
    if (field == fields.end() || Wire::GetTagWireType(tag) != Wire::WIRETYPE_LENGTH_DELIMITED) {
      require(Wire::SkipField(&bytes, tag));
      continue;
    }
    int size = 0;
    require(bytes.ReadVarintSizeAsInt(&size));
    if (field->is_message) {
      const auto outer = bytes.PushLimit(size);
      check_parts(bytes, field->fields, count);
      bytes.PopLimit(outer);
    } else {
      add(static_cast<std::size_t>(size));
      require(bytes.Skip(size));
    }
  }
  require(bytes.ConsumedEntireMessage());
}

}  // namespace detail

/// Those of an inference.ModelInferRequest; the other requests have none.
inline constexpr detail::FieldOfParts fields_of_inference[] = {{5, true, detail::fields_of_input}, {6, true}};

/// Fails with a BadRequest if parsing a message would take far more memory than its bytes.
inline void check_parts(google::protobuf::io::ZeroCopyInputStream& bytes, bool is_inference) {
  google::protobuf::io::CodedInputStream stream(&bytes);
  std::size_t count = 0;
  using Fields = std::span<const detail::FieldOfParts>;
  detail::check_parts(stream, is_inference ? Fields(fields_of_inference) : Fields(), count);
}

}  // namespace sinter_serve

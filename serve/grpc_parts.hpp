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

/// What a message has.
struct GrpcSize {
  std::size_t parts = 0;
  std::size_t numbers = 0, raw = 0;  // of its tensors, and bytes of those that are raw

  /// Bytes that the message and its request take, beside its own ones; `most` are the numbers of a request.
  std::size_t memory(std::size_t most) const {
    return 2 * sizeof(float) * numbers + raw + sizeof(float) * std::min(raw, most);
  }
};

namespace detail {

/// What the bytes of a field are.
enum class Kind {
  message,
  parts,    // numbers of which each byte may become one that is larger
  varints,  // numbers of a byte or more
  bytes,    // numbers of one byte
  floats,   // of four
  doubles,  // of eight
  raw
};
struct FieldOfParts {
  int number;
  Kind kind;
  std::span<const FieldOfParts> fields{};  // of a message
};
inline constexpr FieldOfParts fields_of_contents[] = {  // bool, int, int64, uint, uint64, fp32 and fp64
    {1, Kind::bytes}, {2, Kind::parts},  {3, Kind::parts},  {4, Kind::varints},
    {5, Kind::parts}, {6, Kind::floats}, {7, Kind::doubles}};
inline constexpr FieldOfParts fields_of_input[] = {{3, Kind::parts}, {5, Kind::message, fields_of_contents}};  // shape

using MessageBytes = google::protobuf::io::CodedInputStream;

inline void require(bool right) {
  if (!right) throw BadRequest("the bytes are no message of this protocol");
}
/// How many numbers the next `size` bytes have: each ends with a byte of less than 0x80.
inline std::size_t varints_in(MessageBytes& bytes, int size) {
  std::size_t count = 0;
  while (size > 0) {
    const void* data = nullptr;
    int some = 0;
    require(bytes.GetDirectBufferPointer(&data, &some));
    some = std::min(some, size);
    const auto* const first = static_cast<const unsigned char*>(data);
    count += static_cast<std::size_t>(std::count_if(first, first + some, [](unsigned char c) { return c < 0x80; }));
    require(bytes.Skip(some));
    size -= some;
  }
  return count;
}

/// Adds what a message has to `sum`, where none of it may be too much.
class PartCounter {
 public:
  PartCounter(MessageBytes& bytes, std::size_t most_numbers) : bytes_(bytes), most_numbers_(most_numbers) {}
  const GrpcSize& sum() const { return sum_; }

  void count(std::span<const FieldOfParts> fields) {
    using Wire = google::protobuf::internal::WireFormatLite;
    while (const std::uint32_t tag = bytes_.ReadTag()) {
      add_parts(1);
      const auto field = std::find_if(fields.begin(), fields.end(), [&](const FieldOfParts& one) {
        return one.number == Wire::GetTagFieldNumber(tag);
      });
      if (field == fields.end() || Wire::GetTagWireType(tag) != Wire::WIRETYPE_LENGTH_DELIMITED)
        require(Wire::SkipField(&bytes_, tag));
      else
        count(*field);
    }
    require(bytes_.ConsumedEntireMessage());
  }

 private:
  void count(const FieldOfParts& field) {
    int length = 0;
    require(bytes_.ReadVarintSizeAsInt(&length));
    const auto size = static_cast<std::size_t>(length);
    if (field.kind == Kind::message) {
      const auto outer = bytes_.PushLimit(length);
      count(field.fields);
      bytes_.PopLimit(outer);
      return;
    }
    if (field.kind == Kind::varints) return add_numbers(varints_in(bytes_, length));
    if (field.kind == Kind::parts) add_parts(size);
    if (field.kind == Kind::bytes) add_numbers(size);
    if (field.kind == Kind::floats) add_numbers(size / sizeof(float));
    if (field.kind == Kind::doubles) add_numbers(size / sizeof(double));
    if (field.kind == Kind::raw) add_raw(size);
    require(bytes_.Skip(length));
  }
  void add_parts(std::size_t more) {
    if ((sum_.parts += more) > most_parts)
      throw BadRequest("the message has more than " + std::to_string(most_parts) + " parts, which no request needs");
  }
  void add_numbers(std::size_t more) {
    if ((sum_.numbers += more) > most_numbers_)
      throw BadRequest("the message has more than the " + std::to_string(most_numbers_) +
                       " numbers that a request may have");
  }
  void add_raw(std::size_t more) {
    const std::size_t most = sizeof(float) * most_numbers_;
    if ((sum_.raw += more) > most)
      throw BadRequest("\"raw_input_contents\" has more than the " + std::to_string(most) +
                       " bytes that a request may have");
  }

  MessageBytes& bytes_;
  const std::size_t most_numbers_;
  GrpcSize sum_;
};

/// Those of an inference.ModelInferRequest; the other requests have none.
inline constexpr FieldOfParts fields_of_inference[] = {
    {5, Kind::message, fields_of_input}, {6, Kind::message}, {7, Kind::raw}};

}  // namespace detail

/// Fails with a BadRequest if parsing a message would take far more memory than its bytes, or if it has more numbers
/// than any request, which are `most_numbers`.
inline GrpcSize checked_size(google::protobuf::io::ZeroCopyInputStream& bytes, bool is_inference,
                             std::size_t most_numbers) {
  detail::MessageBytes stream(&bytes);
  detail::PartCounter counter(stream, most_numbers);
  using Fields = std::span<const detail::FieldOfParts>;
  counter.count(is_inference ? Fields(detail::fields_of_inference) : Fields());
  return counter.sum();
}

}  // namespace sinter_serve

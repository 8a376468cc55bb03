// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/network/fingerprint.hpp"

SINTER_NAMESPACE_BEGIN

/// The state of a stream of a model as bytes: a header, by which the states of other models are refused, and numbers.
/// Kind distinguishes the orders in which the numbers follow.
template <class Model, std::size_t Numbers, std::uint64_t Kind>
struct StreamState {
  /// What a state begins with.
  struct Header {
    std::uint64_t kind = Kind, fingerprint = internal::fingerprint<Model>, numbers = Numbers, moment = 0;
  };
  static constexpr std::size_t bytes = sizeof(Header) + Numbers * sizeof(float);

  /// Where number i is.
  static std::byte* at(std::span<std::byte, bytes> state, std::size_t i) noexcept {
    return state.data() + sizeof(Header) + i * sizeof(float);
  }
  static const std::byte* at(std::span<const std::byte> state, std::size_t i) noexcept {
    return state.data() + sizeof(Header) + i * sizeof(float);
  }
  static void write_header(std::span<std::byte, bytes> state, std::uint64_t moment) noexcept {
    Header header;
    header.moment = moment;
    std::memcpy(state.data(), &header, sizeof header);
  }
  /// The moment that the state has reached, `most` or an earlier one. Fails if these are not the bytes of a state of
  /// this model.
  static std::uint64_t moment_of(std::span<const std::byte> state, std::uint64_t most) {
    Header header;
    const Header expected;
    if (state.size() != bytes)
      fail([&] {
        return "the state of a stream of " + std::to_string(state.size()) + " bytes was given, and this one has " +
               std::to_string(bytes) + "; pass what save() of a stream of the same model wrote";
      });
    std::memcpy(&header, state.data(), sizeof header);
    if (header.kind != expected.kind || header.numbers != expected.numbers)
      fail([] { return "this is not the state of a stream; pass what save() of a stream of the same model wrote"; });
    if (header.fingerprint != expected.fingerprint)
      fail([] { return "the state belongs to a stream of another model; restore it there, or call reset()"; });
    if (header.moment > most)
      fail([&] {
        return "the state of a stream after " + std::to_string(header.moment) +
               " moments was given, and this one ends after " + std::to_string(most) +
               "; pass what save() of a stream of the same model wrote";
      });
    return header.moment;
  }
};

SINTER_NAMESPACE_END

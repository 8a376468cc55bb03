// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "access_log.hpp"
#include "body_memory.hpp"
#include "chunks.hpp"
#include "compression.hpp"
#include "http_message.hpp"
#include "limits.hpp"

namespace sinter_serve {

/// Whether a text has digits alone.
inline bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}
/// Whether a text is a number of bytes that a memory can have.
inline bool is_size(std::string_view text) { return is_number(text) && text.size() <= 15; }

/// Takes the body of a request as it arrives, within the limits. A proxy and this server must agree on where it ends: what
/// others may read in another way is an error.
class HttpBody {
 public:
  /// Fails with an HttpError if the header says something wrong about the body.
  HttpBody(const HttpRequest& request, const Limits& limits, BodyMemory& memory) : most_(limits.body), part_(memory) {
    const std::string_view length = request.headers["Content-Length"], coding = request.headers["Transfer-Encoding"];
    const std::size_t lengths = request.headers.count("Content-Length");
    const std::size_t codings = request.headers.count("Transfer-Encoding");
    if (lengths + codings > 1) throw HttpError(400, "the length of the body is given twice");
    if (lengths == 1 && !is_number(length))
      throw HttpError(400, "Content-Length is \"" + shown(length, 20) + "\", expected a number of bytes");
    if (codings == 1 && (!same_word(coding, "chunked") || request.minor == 0))
      throw HttpError(400, "Transfer-Encoding is \"" + shown(coding, 20) + "\", expected \"chunked\", of HTTP/1.1");
    if (codings == 1) chunks_.emplace();
    if (lengths == 1 && !is_size(length)) too_large();
    if (lengths == 1) left_ = std::stoul(std::string(length));
    if (left_ > most_) too_large();
    const std::string_view encoding = request.headers["Content-Encoding"];
    const bool gzip = same_word(encoding, "gzip");
    if (request.headers.count("Content-Encoding") > 1 ||
        (!encoding.empty() && !gzip && !same_word(encoding, "identity") && !same_word(encoding, "deflate")))
      throw HttpError(415, "the body is compressed by " + shown(encoding, 20) + ", expected gzip, deflate or neither",
                      {{{"Accept-Encoding", "gzip, deflate, identity"}}});
    if ((lengths + codings) != 0 && (gzip || same_word(encoding, "deflate"))) packed_.emplace(gzip);
  }

  bool done() const { return chunks_ ? chunks_->done() : left_ == 0; }
  /// Returns how many of these bytes belong to the body. Fails with an HttpError where they are wrong, or too many.
  std::size_t take(std::string_view bytes) {
    std::size_t count = 0;
    if (chunks_) {
      count = chunks_->add(bytes, [&](std::string_view part) { take_chunked(part); });
    } else {
      count = std::min(left_, bytes.size());
      left_ -= count;
      unpack(bytes.substr(0, count));
    }
    received_ += count;
    if (const std::size_t other = received_ - in_chunks_; chunks_ && other > 4096 + 16 * in_chunks_)
      throw HttpError(400, "the chunks have " + std::to_string(other) + " bytes of lines for " +
                               std::to_string(in_chunks_) + " bytes of the body; send larger chunks");
    return count;
  }
  /// Of all that has been taken.
  std::size_t received() const { return received_; }
  /// The body, once it is done.
  std::string whole() {
    if (packed_) packed_->finish();
    return std::move(body_);
  }

 private:
  void take_chunked(std::string_view part) {
    in_chunks_ += part.size();
    if (in_chunks_ > most_) too_large();
    unpack(part);
  }
  void unpack(std::string_view part) {
    if (packed_)
      packed_->add(part, [&](std::string_view more) { append(more); });
    else
      append(part);
  }
  void append(std::string_view part) {
    if (part.size() > most_ - body_.size()) too_large();
    if (!part_.grow_to(body_.size() + part.size()))
      throw HttpError(503, "other requests have large bodies just now; send this one again later",
                      {{{"Retry-After", "1"}}});
    body_ += part;
  }
  [[noreturn]] void too_large() const {
    throw HttpError(413, "the body has more than the " + std::to_string(most_) + " bytes that this server takes");
  }

  const std::size_t most_;
  BodyMemory::Part part_;
  std::optional<Chunks> chunks_;
  std::optional<Decompressor> packed_;
  std::size_t left_ = 0, received_ = 0, in_chunks_ = 0;
  std::string body_;
};

}  // namespace sinter_serve

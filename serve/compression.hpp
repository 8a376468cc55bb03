// SPDX-License-Identifier: MIT
#pragma once

#include <zlib.h>

#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include "http_message.hpp"

namespace sinter_serve {

/// Unpacks gzip or deflate as it arrives.
class Decompressor {
 public:
  explicit Decompressor(bool gzip) : gzip_(gzip) {
    if (inflateInit2(&stream_, gzip ? 15 + 16 : 15) != Z_OK) throw std::bad_alloc();
  }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  ~Decompressor() { inflateEnd(&stream_); }

  /// Calls take(part) for each part of what these bytes unpack to. Fails with an HttpError where they are wrong.
  template <class Take>
  void add(std::string_view bytes, Take take) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    char part[16 << 10];
    do {
      if (ended_ && stream_.avail_in == 0) return;
      if (ended_ && (!gzip_ || inflateReset(&stream_) != Z_OK)) fail("something follows its end");
      ended_ = false;
      stream_.next_out = reinterpret_cast<Bytef*>(part);
      stream_.avail_out = sizeof part;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) fail("its bytes are wrong");
      ended_ = result == Z_STREAM_END;
      take(std::string_view(part, sizeof part - stream_.avail_out));
    } while (stream_.avail_in != 0 || stream_.avail_out == 0);
  }
  /// Fails with an HttpError if the end is missing.
  void finish() const {
    if (!ended_) fail("it is cut off");
  }

 private:
  [[noreturn]] void fail(const char* why) const {
    throw HttpError(400, std::string("the body is not compressed by ") + (gzip_ ? "gzip: " : "deflate: ") + why);
  }
  const bool gzip_;
  bool ended_ = false;
  z_stream stream_{};
};

inline std::string gzip_of(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::bad_alloc();
  return packed;
}

}  // namespace sinter_serve

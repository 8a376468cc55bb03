// SPDX-License-Identifier: MIT
#pragma once

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace sinter_serve {

/// Writes lines to a file, such as the standard output, in a thread of its own. add() never waits: lines that nobody reads
/// are kept up to a limit, and then dropped and counted.
class LineWriter {
 public:
  static constexpr std::size_t most = 1 << 20;  // bytes that are kept

  explicit LineWriter(int file) : lines_(std::make_shared<Lines>(file)), thread_([lines = lines_] { lines->run(); }) {}
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  /// Gives what is kept another second. A thread that a terminal holds up for longer is left behind.
  ~LineWriter() {
    if (lines_->end(std::chrono::seconds(1)))
      thread_.join();
    else
      thread_.detach();
  }

  void add(std::string_view line) { lines_->add(line); }
  std::uint64_t dropped() const { return lines_->dropped(); }

 private:
  class Lines {
   public:
    explicit Lines(int file) : file_(file) {}
    void add(std::string_view line) {
      const std::scoped_lock lock(mutex_);
      if (lines_.size() + writing_ + line.size() + 1 > most) {
        ++dropped_;
        return;
      }
      const bool sleeps = lines_.empty();
      lines_.append(line) += '\n';
      if (sleeps) wake_.notify_all();
    }
    std::uint64_t dropped() const {
      const std::scoped_lock lock(mutex_);
      return dropped_;
    }
    /// Returns whether run() has returned in this time.
    bool end(std::chrono::seconds time) {
      std::unique_lock lock(mutex_);
      ending_ = true;
      wake_.notify_all();
      late_ = !wake_.wait_for(lock, time, [&] { return ended_; });
      return ended_;
    }
    void run() {
      std::string taken;
      std::unique_lock lock(mutex_);
      for (bool lost = false; !(ending_ && (lost || lines_.empty())); taken.clear(), writing_ = 0) {
        wake_.wait(lock, [&] { return !lines_.empty() || ending_; });
        taken.swap(lines_);
        writing_ = taken.size();
        lock.unlock();
        const std::string_view left = write_all(taken);
        lock.lock();
        lost = !left.empty();
        dropped_ += static_cast<std::uint64_t>(std::count(left.begin(), left.end(), '\n'));
      }
      ended_ = true;
      wake_.notify_all();
    }

   private:
    /// Returns what could not be written. Ends a line of which only a part was written before.
    std::string_view write_all(std::string_view text) {
      if (in_line_ && !write_parts("\n").empty()) return text;
      return write_parts(text);
    }
    /// In parts that a pipe takes at once when it takes anything, of whole lines where they are shorter: others may
    /// write to the same pipe. Returns what could not be written.
    std::string_view write_parts(std::string_view text) {
      constexpr std::size_t most_of_part = PIPE_BUF;
      while (!text.empty()) {
        std::size_t part = std::min(text.size(), most_of_part);
        if (const std::size_t end = text.rfind('\n', part - 1); end != text.npos) part = end + 1;
        pollfd one{file_, POLLOUT, 0};
        const ssize_t count = poll(&one, 1, 100) > 0 ? ::write(file_, text.data(), part) : 0;
        if (count < 0 && errno != EINTR && errno != EAGAIN) return text;  // a full disk, or a reader that is gone
        if (count > 0) {
          in_line_ = text[static_cast<std::size_t>(count) - 1] != '\n';
          text.remove_prefix(static_cast<std::size_t>(count));
        } else if (const std::scoped_lock lock(mutex_); late_) {
          return text;
        }
      }
      return text;
    }

    const int file_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::string lines_;
    std::size_t writing_ = 0;
    std::uint64_t dropped_ = 0;
    bool in_line_ = false;  // of what run() has written
    bool ending_ = false, late_ = false, ended_ = false;
  };

  const std::shared_ptr<Lines> lines_;  // the thread's, too
  std::thread thread_;
};

}  // namespace sinter_serve

// SPDX-License-Identifier: MIT
#pragma once

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace sinter_serve {

/// Writes lines to a file, such as the standard output, in a thread of its own. add() never waits: lines that nobody reads
/// are kept up to a limit, and then dropped and counted.
class LineWriter {
 public:
  static constexpr std::size_t most = 1 << 20;  // bytes that are kept

  explicit LineWriter(int file) : file_(file), thread_([this] { run(); }) {}
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  /// Gives what is kept another second.
  ~LineWriter() {
    {
      const std::scoped_lock lock(mutex_);
      ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void add(std::string_view line) {
    const std::scoped_lock lock(mutex_);
    if (lines_.size() + writing_ + line.size() + 1 > most) {
      ++dropped_;
      return;
    }
    const bool sleeps = lines_.empty();
    lines_.append(line) += '\n';
    if (sleeps) wake_.notify_one();
  }
  std::uint64_t dropped() const {
    const std::scoped_lock lock(mutex_);
    return dropped_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void run() {
    std::string taken;
    for (std::unique_lock lock(mutex_);; taken.clear(), writing_ = 0) {
      wake_.wait(lock, [&] { return !lines_.empty() || ending_; });
      if (lines_.empty()) return;
      taken.swap(lines_);
      writing_ = taken.size();
      lock.unlock();
      const std::string_view left = write_all(taken);
      lock.lock();
      dropped_ += static_cast<std::uint64_t>(std::count(left.begin(), left.end(), '\n'));
      if (!left.empty() && ending_) return;
    }
  }
  /// In parts that a pipe takes at once when it takes anything. Returns what could not be written.
  std::string_view write_all(std::string_view text) {
    constexpr std::size_t part = 4096;
    Clock::time_point until = Clock::time_point::max();
    while (!text.empty()) {
      pollfd one{file_, POLLOUT, 0};
      if (poll(&one, 1, 100) > 0) {
        const ssize_t count = ::write(file_, text.data(), std::min(text.size(), part));
        if (count < 0 && errno != EINTR && errno != EAGAIN) return text;  // a full disk, or a reader that is gone
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
      } else if (Clock::now() >= until) {
        return text;
      } else if (const std::scoped_lock lock(mutex_); ending_ && until == Clock::time_point::max()) {
        until = Clock::now() + std::chrono::seconds(1);
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
  bool ending_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace sinter_serve

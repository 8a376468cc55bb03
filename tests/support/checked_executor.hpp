// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/kernels/gpu/executor.hpp"

/// An executor that watches every access: it runs the threads of each phase, and the blocks of a launch, in a random
/// order, and reports what would go wrong on a GPU: two threads at one word between two barriers, two blocks at one word
/// in one launch, reads of unwritten memory, accesses outside of what the kernel was given, and numbers moved together
/// at addresses where a GPU cannot move them.
namespace sinter_test {

/// A mistake that the executor makes on purpose, to see that it is found: the n-th event of its kind goes wrong.
struct Fault {
  enum Kind {
    none,
    barrier_left_out,
    item_left_out,
    item_done_twice,
    one_item_too_many,
    write_one_further,
    write_one_before,
    read_far_outside,
    write_far_outside,
    write_lost,
    stray_write,
    once_by_all,
    wrong_block,
    memory_too_small,
    kinds
  } kind = none;
  int nth = 0;
};
inline const char* name_of(Fault::Kind kind) {
  static const char* const names[] = {"none",
                                      "a barrier, or the end of a launch, left out",
                                      "an item left out",
                                      "an item done by two threads",
                                      "one item too many",
                                      "a write one place further",
                                      "a write one place before",
                                      "a read far outside",
                                      "a write far outside",
                                      "a write lost",
                                      "a write to a word of another thread",
                                      "once done by every thread",
                                      "the number of another block",
                                      "a block's memory too small"};
  return names[kind];
}

/// What happens to the words of memory in the launches that one checker sees.
class Checker {
 public:
  explicit Checker(unsigned seed = 1, Fault fault = {}) : random_(seed), fault_(fault) {}

  const std::set<std::string>& findings() const { return findings_; }
  bool clean() const { return findings_.empty(); }

  // -- memory -----------------------------------------------------------------------------------------------------------

  /// Memory of all blocks, that may be read: `written` says whether something is in it.
  void watch(const void* begin, std::size_t bytes, bool written) {
    for (auto it = arenas_.begin(); it != arenas_.end();)  // replaces what overlaps it
      it = it->first < address(begin) + bytes && address(begin) < it->first + it->second.bytes ? arenas_.erase(it)
                                                                                               : std::next(it);
    Arena arena{bytes, std::vector<Word>((bytes + 3) / 4)};
    for (Word& word : arena.words) word.written = written;
    if (bytes > 0) arenas_[address(begin)] = std::move(arena);
  }
  /// The host reads the results: every number should be there.
  template <class T>
  void expect_written(const T* p, std::size_t count) {
    for_each_word(p, count, [&](Word* word) {
      if (word == nullptr || !word->written) find("a result that nobody wrote");
    });
  }
  template <class T>
  void discard(const T* p, std::size_t count) {
    if (!known(p, count)) return;
    for_each_word(p, count, [](Word* word) { word->written = false; });
  }
  void forget(const void* begin) { arenas_.erase(address(begin)); }

  // -- where a launch is ------------------------------------------------------------------------------------------------

  void begin_launch(bool whole_grid) {
    whole_grid_ = whole_grid;
    if (happens(Fault::barrier_left_out)) return;
    ++launch_;
    ++phase_;
  }
  void begin_block(int block) {
    block_ = block;
    if (!whole_grid_) ++phase_;
  }
  /// Also where the team is the grid.
  void barrier_of_block() {
    if (!happens(Fault::barrier_left_out)) ++phase_;
  }
  void barrier() {
    if (!whole_grid_ && !happens(Fault::barrier_left_out)) ++phase_;
  }
  void run_as(int thread) { thread_ = thread; }
  /// Outside of `items` all threads run alike: what they read is no race with one of them.
  static constexpr int all_threads = -1;

  // -- accesses ---------------------------------------------------------------------------------------------------------

  template <class T>
  const T* check_read(const T* p, std::size_t count = 1) {
    if (happens(Fault::read_far_outside)) p += 1 << 28;
    static thread_local std::vector<T> nothing;
    nothing.assign(count, T(0));
    bool there = known(p, count);
    for_each_word(p, count, [&](Word* word) {
      if (word == nullptr) return find("a read outside of the memory given");
      if (!word->written) find("a read of a word that nobody wrote");
      there &= word->written;
      const bool others_write = word->write_phase == phase_ && word->writer != thread_;
      if (others_write) find("a read of what another thread writes in the same phase");
      if (word->write_launch == launch_ && word->write_block != block_)
        find("a read of what another block writes in the same launch");
      word->reader = word->read_phase == phase_ && word->reader != thread_ ? many : thread_;
      word->read_phase = phase_;
      word->read_block = word->read_launch == launch_ && word->read_block != block_ ? many : block_;
      word->read_launch = launch_;
    });
    return there ? p : nothing.data();  // the fault has been recorded: continue with a number
  }
  /// Whether the write may be done.
  template <class T>
  bool check_write(T*& p, std::size_t count = 1) {
    if (happens(Fault::write_lost)) return false;
    if (happens(Fault::write_one_further)) ++p;
    if (happens(Fault::write_one_before)) --p;
    if (happens(Fault::write_far_outside)) p += 1 << 28;
    const int who = happens(Fault::stray_write) ? thread_ + 1 : thread_;
    last_write_ = phase_;
    if (who != thread_) note_write(p, count, thread_);
    note_write(p, count, who);
    return known(p, count);
  }
  /// So many bytes in one access are at a multiple of them. (Memory of the host begins at one of 16, as the device's does.)
  void check_together(const void* p, std::size_t bytes) {
    if (address(p) % bytes != 0) find("an access of several numbers that is not aligned to their bytes");
  }
  /// What a block writes for the host must come before its last barrier.
  void check_published() {
    if (last_write_ == phase_) find("a word for the host before a barrier behind what it speaks of");
  }
  bool happens(Fault::Kind kind) { return fault_.kind == kind && events_++ == fault_.nth; }
  int events() const { return events_; }

  template <class Numbers>
  void shuffle(Numbers& numbers) {
    std::shuffle(numbers.begin(), numbers.end(), random_);
  }

 private:
  static constexpr int many = -2;
  struct Word {
    bool written = false;
    int writer = 0, reader = 0, write_block = 0, read_block = 0;
    std::uint64_t write_phase = 0, read_phase = 0, write_launch = 0, read_launch = 0;
  };
  struct Arena {
    std::size_t bytes;
    std::vector<Word> words;
  };
  static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

  Arena* find_arena(std::uintptr_t at, std::size_t bytes, std::uintptr_t& begin) {
    auto it = arenas_.upper_bound(at);
    if (it == arenas_.begin()) return nullptr;
    --it;
    begin = it->first;
    return at + bytes <= it->first + it->second.bytes ? &it->second : nullptr;
  }
  template <class T>
  bool known(const T* p, std::size_t count) {
    std::uintptr_t begin = 0;
    return find_arena(address(p), count * sizeof(T), begin) != nullptr;
  }
  template <class T, class Each>
  void for_each_word(const T* p, std::size_t count, Each&& each) {
    std::uintptr_t begin = 0;
    Arena* arena = find_arena(address(p), count * sizeof(T), begin);
    if (arena == nullptr) return each(static_cast<Word*>(nullptr));
    const std::size_t first = address(p) - begin;
    for (std::size_t i = first / 4; i < (first + count * sizeof(T) + 3) / 4; ++i) each(&arena->words[i]);
  }
  template <class T>
  void note_write(const T* p, std::size_t count, int who) {
    for_each_word(p, count, [&](Word* word) {
      if (word == nullptr) return find("a write outside of the memory given");
      if (word->write_phase == phase_ && word->writer != who)
        find("a write of what another thread writes in the same phase");
      if (word->read_phase == phase_ && word->reader != who)
        find("a write of what another thread reads in the same phase");
      if (word->write_launch == launch_ && word->write_block != block_)
        find("a write of what another block writes in the same launch");
      if (word->read_launch == launch_ && word->read_block != block_)
        find("a write of what another block reads in the same launch");
      word->written = true;
      word->writer = who;
      word->write_phase = phase_;
      word->write_block = block_;
      word->write_launch = launch_;
    });
  }
  void find(const char* what) { findings_.insert(what); }

  std::mt19937 random_;
  Fault fault_;
  int events_ = 0;
  std::map<std::uintptr_t, Arena> arenas_;
  std::set<std::string> findings_;
  bool whole_grid_ = false;
  int block_ = 0, thread_ = all_threads;
  std::uint64_t phase_ = 0, launch_ = 0;
  std::uint64_t last_write_ = 0;  // its phase
};

/// A pointer whose accesses are checked.
template <class T>
class CheckedPointer {
 public:
  CheckedPointer() = default;
  CheckedPointer(T* p, Checker* checker) : p_(p), checker_(checker) {}
  template <class U>
    requires(std::is_same_v<T, const U>)
  CheckedPointer(const CheckedPointer<U>& other) : p_(other.raw()), checker_(other.checker()) {}

  class Reference {
   public:
    Reference(T* p, Checker* checker) : p_(p), checker_(checker) {}
    operator std::remove_const_t<T>() const { return *checker_->check_read(static_cast<const T*>(p_)); }
    const Reference& operator=(std::remove_const_t<T> value) const {
      T* to = p_;
      if (checker_->check_write(to)) *to = value;
      return *this;
    }
    const Reference& operator=(const Reference& other) const { return *this = std::remove_const_t<T>(other); }

   private:
    T* p_;
    Checker* checker_;
  };
  Reference operator[](std::ptrdiff_t i) const { return {p_ + i, checker_}; }
  friend CheckedPointer operator+(CheckedPointer p, std::ptrdiff_t n) { return {p.p_ + n, p.checker_}; }

  T* raw() const { return p_; }
  Checker* checker() const { return checker_; }

 private:
  T* p_ = nullptr;
  Checker* checker_ = nullptr;
};
template <class T>
const T* in(CheckedPointer<T> p, int n) {
  return p.checker()->check_read(static_cast<const T*>(p.raw()), static_cast<std::size_t>(n));
}
template <class T>
T* out(CheckedPointer<T> p, int n) {
  T* to = p.raw();
  static thread_local std::vector<T> nowhere;
  if (p.checker()->check_write(to, static_cast<std::size_t>(n))) return to;
  nowhere.resize(static_cast<std::size_t>(n));
  return nowhere.data();
}

template <class T>
void look_together(CheckedPointer<T> p, int n) {
  p.checker()->check_together(p.raw(), static_cast<std::size_t>(n) * sizeof(T));
}

template <bool WholeGrid = false>
class CheckedExecutor {
 public:
  template <class T>
  using Pointer = CheckedPointer<T>;

  CheckedExecutor(Checker& checker, int block, int blocks, int threads, std::byte* shared)
      : checker_(&checker), block_(block), blocks_(blocks), threads_(threads), shared_(shared) {
    checker.begin_block(block);
    checker.run_as(Checker::all_threads);
  }

  /// The same each time that the block asks.
  int block() const {
    if (number_ < 0) number_ = checker_->happens(Fault::wrong_block) ? (block_ == 0 ? 1 : block_ - 1) : block_;
    return number_;
  }
  int blocks() const { return blocks_; }

  template <class Item>
  void items(int n, Item&& item) {
    const int begin = WholeGrid ? block_ * threads_ : 0, size = WholeGrid ? blocks_ * threads_ : threads_;
    std::vector<int> order;
    for (int t = begin; t < begin + threads_ && t < n; ++t) order.push_back(t);
    checker_->shuffle(order);
    for (const int t : order) {
      checker_->run_as(t);
      for (int i = t; i < n; i += size)
        if (!checker_->happens(Fault::item_left_out)) item(i);
      if (checker_->happens(Fault::item_done_twice)) {
        checker_->run_as(t + 1);
        item(t);
      }
    }
    if (n > 0 && checker_->happens(Fault::one_item_too_many)) {
      checker_->run_as(n % size);
      item(n);
    }
    checker_->run_as(Checker::all_threads);
  }
  void barrier() { checker_->barrier(); }
  void barrier_of_block() { checker_->barrier_of_block(); }
  bool any(bool found) {
    checker_->barrier();
    return found;
  }
  template <class Item>
  void items_of_block(int n, Item&& item) {
    for (int i = 0; i < n; ++i) {
      checker_->run_as((WholeGrid ? block_ * threads_ : 0) + i % threads_);
      item(i);
    }
    checker_->run_as(Checker::all_threads);
  }
  template <class Item>
  void once(Item&& item) {
    const bool by_all = checker_->happens(Fault::once_by_all);
    for (int t = 0; t < (by_all ? 2 : 1); ++t) {
      checker_->run_as(WholeGrid ? block_ * threads_ + t : t);
      item();
    }
    checker_->run_as(Checker::all_threads);
  }

  /// The threads in a random order between two barriers of the block.
  template <class Work>
  void run_pieces(const Work& work) {
    std::vector<typename Work::State> states(Work::threads);
    const auto each = [&](auto&& run) {
      std::vector<int> order(Work::threads);
      std::iota(order.begin(), order.end(), 0);
      checker_->shuffle(order);
      for (const int t : order) {
        checker_->run_as(block_ * Work::threads + t);
        run(t, states[static_cast<std::size_t>(t)]);
      }
      checker_->run_as(Checker::all_threads);
    };
    for (int piece = block_; piece < work.pieces(); piece += blocks_) {
      each([&](int t, auto& state) { work.begin(piece, t, state); });
      const int slices = work.slices(piece);
      if (slices > 0)
        each([&](int t, auto& state) {
          work.fetch(0, t, state);
          work.keep(0, t, state);
        });
      for (int slice = 0; slice < slices; ++slice) {
        checker_->barrier_of_block();
        each([&](int t, auto& state) {
          if (slice + 1 < slices) work.fetch(slice + 1, t, state);
          work.multiply(slice, t, state);
          if (slice + 1 < slices) work.keep(slice + 1, t, state);
        });
      }
      if constexpr (Work::sums_rows) {
        each([&](int t, auto& state) { work.keep_row_sums(slices, t, state); });
        checker_->barrier_of_block();
      }
      each([&](int t, auto& state) { work.finish(piece, slices, t, state); });
      checker_->barrier_of_block();
    }
  }

  void publish(Pointer<std::uint64_t> word, std::uint64_t value) {
    checker_->check_published();
    once([&] { word[0] = value; });
  }

  template <class T>
  Pointer<T> memory(std::size_t at, std::byte* far = nullptr) {
    return {reinterpret_cast<T*>((WholeGrid ? far : shared_) + at), checker_};
  }
  template <class T>
  Pointer<T> block_memory() {
    return {reinterpret_cast<T*>(shared_), checker_};
  }
  template <class T>
  Pointer<T> global(T* p) {
    return {p, checker_};
  }
  template <class T>
  void discard(Pointer<T> p, std::size_t count) {
    checker_->discard(p.raw(), count);
  }

 private:
  Checker* checker_;
  int block_, blocks_, threads_;
  mutable int number_ = -1;  // that block() returns, once it was asked
  std::byte* shared_;
};

/// Launches kernels on it, with few threads, so that each has something to do.
struct CheckedLauncher {
  Checker* checker;
  int threads = 5;

  template <class K>
  void operator()(const typename K::Args& args, int blocks, std::size_t shared_bytes) {
    if (shared_bytes > 0 && checker->happens(Fault::memory_too_small)) shared_bytes -= shared_bytes / 8;
    checker->begin_launch(K::whole_grid);
    std::vector<int> order(static_cast<std::size_t>(blocks));
    for (std::size_t b = 0; b < order.size(); ++b) order[b] = static_cast<int>(b);
    checker->shuffle(order);
    std::vector<double> shared(shared_bytes / sizeof(double));
    for (const int block : order) {
      std::fill(shared.begin(), shared.end(), std::numeric_limits<double>::quiet_NaN());
      checker->watch(shared.data(), shared.size() * sizeof(double), false);
      CheckedExecutor<K::whole_grid> x(*checker, block, blocks, threads, reinterpret_cast<std::byte*>(shared.data()));
      K::run(x, args);
    }
    checker->forget(shared.data());
  }
  /// Memory that a kernel may read.
  template <class T>
  void given(const T* p, std::size_t count) {
    checker->watch(p, count * sizeof(T), true);
  }
  /// Memory that it should fill.
  template <class T>
  void wanted(T* p, std::size_t count) {
    if (std::is_same_v<T, std::byte> && checker->happens(Fault::memory_too_small)) count -= count / 8;
    checker->watch(p, count * sizeof(T), false);
  }
  template <class T>
  void expect(const T* p, std::size_t count) {
    checker->expect_written(p, count);
  }
};

}  // namespace sinter_test

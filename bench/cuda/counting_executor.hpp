// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <source_location>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "call.hpp"
#include "sinter/kernels/gpu/executor.hpp"

/// An executor that counts what a block asks of the memory of a GPU: it runs the lanes of a warp one after another, notes
/// every access and its position in the source, and puts together what 32 lanes access in one instruction.
///
/// The compiler's code is not known here: each access in the source counts, even if it stays in a register or is
/// combined with its neighbours. Rows that are read or written as a whole count once for each number.
namespace counting {

inline constexpr int lanes = 32;

/// Cycles of a multiprocessor; a block has it alone. A phase takes the longer of what it moves or issues and of how long its
/// slowest warp waits. Arithmetic other than multiply-adds and the functions of rows takes no time. Fetching the code, of which
/// each byte runs once or a few times, is counted apart. This is to rank phases and compare variants.
struct Model {
  static constexpr double shared = 30, near = 35, far = 250;  // of a read; far: the first of a sector in a phase
  static constexpr int in_flight = 8;                         // reads of a warp that overlap
  static constexpr double barrier = 25;
  static constexpr double multiply_adds = 128;         // in a cycle
  static constexpr double row_instruction = 5;         // of a function of rows, one of which waits for the other
  static constexpr double issued = 4, for_access = 2;  // instructions in a cycle; for an access, its address included
  // Sectors in a cycle between a multiprocessor and L2: 64 bytes of one alone; 5.5 TB/s for all that work at once.
  static constexpr double far_sectors_alone = 2, far_sectors_of_all = 5.5e12 / 1.98e9 / 32;
  static constexpr int multiprocessors = 132;
  static double far_sectors(int blocks) {
    return std::min(far_sectors_alone, far_sectors_of_all / std::min(std::max(blocks, 1), multiprocessors));
  }
  /// Cycles to fetch so many bytes of code from L2, once in a launch, by all blocks that work at once.
  static double fetch(double bytes, int blocks) { return bytes / 32 / far_sectors(blocks); }
  // In a cycle one wavefront of shared memory or one line of global memory.
  static constexpr double gigahertz = 1.98;
};

struct Where {
  const char* file = "";
  unsigned line = 0, column = 0;
};

struct Requests {
  double count = 0, lines = 0, sectors = 0;
};
struct Line {
  Where where;
  double requests = 0, cost = 0;  // cost: wavefronts, or lines
};
struct Counts {
  std::string phase;
  bool in_step = true;
  double items = 0, places = 0;  // places: lanes of all sweeps
  double shared = 0, wavefronts = 0, chain = 0, multiply_adds = 0, moves = 0, waits = 0, cycles = 0;
  Requests reads, writes;
  std::map<std::uint64_t, Line> lines;

  double idle() const { return places > 0 ? 1 - items / places : 0; }
  const Line* worst() const {
    const Line* worst = nullptr;
    for (const auto& [site, line] : lines)
      if (worst == nullptr || line.cost > worst->cost) worst = &line;
    return worst;
  }
};

struct Access {
  std::uint64_t site;
  std::uintptr_t address;
  std::uint8_t bytes;
  bool write;
};
using Trace = std::vector<Access>;

/// The order in which a warp goes through what its lanes do: those that fell behind first, so that lanes meet again
/// after a branch and in the next iteration of a loop. A loop is seen by a jump back in the source; one whose first access
/// is also that of a loop around it counts as one with it.
class Reconvergence {
 public:
  explicit Reconvergence(const std::array<Trace, lanes>& traces) {
    for (const Trace& trace : traces)
      for (std::size_t k = 1; k < trace.size(); ++k)
        if (trace[k].site <= trace[k - 1].site) {
          std::uint64_t& end = loops_[trace[k].site];
          end = std::max(end, trace[k - 1].site);
        }
    for (auto outer = loops_.rbegin(); outer != loops_.rend(); ++outer)  // those that overlap: one holds the other
      for (auto inner = outer.base(); inner != loops_.end() && inner->first <= outer->second; ++inner)
        outer->second = std::max(outer->second, inner->second);
  }
  using Key = std::vector<std::uint64_t>;  // heads of the loops around and their turns, then the site

  struct Lane {
    std::size_t next = 0;
    std::map<std::uint64_t, std::uint64_t> turns{};
    Key key{};
  };
  void step(Lane& lane, const Trace& trace) const {
    const std::uint64_t site = trace[lane.next].site;
    if (lane.next > 0 && site <= trace[lane.next - 1].site) {
      lane.turns.erase(lane.turns.upper_bound(site), lane.turns.end());
      ++lane.turns[site];
    }
    lane.key.clear();
    for (const auto& [head, end] : loops_) {
      if (head > site) break;
      if (end < site) {
        lane.turns.erase(head);
        continue;
      }
      const auto turn = lane.turns.find(head);
      lane.key.push_back(head);
      lane.key.push_back(turn == lane.turns.end() ? 0 : turn->second);
    }
    lane.key.push_back(site);
  }

 private:
  std::map<std::uint64_t, std::uint64_t> loops_;  // from their first site to their last
};

class Counter {
 public:
  /// `calls` of `items` will follow, one after another, by one of so many blocks.
  Counter(std::vector<Call> calls, const std::byte* shared, std::size_t shared_bytes, int blocks)
      : calls_(std::move(calls)),
        shared_(address(shared)),
        shared_bytes_(shared_bytes),
        far_sectors_(Model::far_sectors(blocks)) {}

  const std::vector<Counts>& phases() const { return phases_; }
  bool complete() const { return next_ == calls_.size(); }

  void begin_items(int n, int places) {
    if (complete()) throw std::logic_error("more calls of items than were announced");
    const Call& call = calls_[next_++];
    const auto found =
        std::find_if(phases_.begin(), phases_.end(), [&](const Counts& c) { return c.phase == call.phase; });
    now_ = static_cast<std::size_t>(found - phases_.begin());
    if (found == phases_.end()) phases_.emplace_back().phase = call.phase;
    Counts& counts = phases_[now_];
    counts.in_step = call.in_step;
    counts.items += n;
    counts.places += places;
    counts.multiply_adds += call.multiply_adds;
    before_ = counts;
    touched_.clear();
    waits_ = far_ = 0;
    chain_ = 0;
  }
  void begin_warp() {
    warp_waits_ = 0;
    lengths_.fill(0);
  }
  void begin_lane(int lane) { trace_ = &traces_[static_cast<std::size_t>(lane)]; }
  /// All lanes have done an item.
  void end_sweep() {
    trace_ = nullptr;
    in_flight_ = 0;
    slowest_ = 0;
    zip();
    warp_waits_ += slowest_;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      lengths_[lane] += traces_[lane].size();
      traces_[lane].clear();
    }
  }
  void end_warp() {
    waits_ = std::max(waits_, warp_waits_);
    chain_ = std::max(chain_, *std::max_element(lengths_.begin(), lengths_.end()));
  }
  void end_items() {
    Counts& c = phases_[now_];
    const auto moved = [](const Counts& of) { return of.wavefronts + of.reads.lines + of.writes.lines; };
    const auto accesses = [](const Counts& of) { return of.shared + of.reads.count + of.writes.count; };
    const double issues = (c.multiply_adds - before_.multiply_adds) / Model::multiply_adds +
                          (accesses(c) - accesses(before_)) * Model::for_access / Model::issued;
    const double moves = std::max({moved(c) - moved(before_), far_ / far_sectors_, issues});
    waits_ += calls_[next_ - 1].row_instructions * Model::row_instruction;
    c.chain += static_cast<double>(chain_);
    c.moves += moves;
    c.waits += waits_;
    c.cycles += std::max(moves, waits_);
  }
  void barrier() {
    if (!phases_.empty()) phases_[now_].cycles += Model::barrier;
  }

  void note(const void* p, std::size_t bytes, bool write, const std::source_location& where) {
    if (trace_ == nullptr) return;  // what all threads do alike
    trace_->push_back({site_of(where), address(p), static_cast<std::uint8_t>(bytes), write});
  }

 private:
  static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
  std::uint64_t site_of(const std::source_location& where) {
    std::size_t file = 0;
    while (file < files_.size() && files_[file] != where.file_name()) ++file;
    if (file == files_.size()) files_.push_back(where.file_name());
    // What kernels call for a read is after what calls it: else each call would look like a jump back.
    if (std::strstr(where.file_name(), "executor.hpp") != nullptr) file |= called;
    return std::uint64_t{file} << 48 | std::uint64_t{where.line()} << 16 | where.column();
  }
  Where where(std::uint64_t site) const {
    const char* file = files_[site >> 48 & ~std::uint64_t{called}];
    const char* slash = std::strrchr(file, '/');
    return {slash == nullptr ? file : slash + 1, static_cast<unsigned>(site >> 16 & 0xffffffff),
            static_cast<unsigned>(site & 0xffff)};
  }

  void zip() {
    if (same_sites()) {
      const std::size_t longest = traces_[0].size();
      for (std::size_t k = 0; k < longest; ++k) {
        request_.clear();
        for (const Trace& trace : traces_)
          if (!trace.empty()) request_.push_back(trace[k]);
        count();
      }
      return;
    }
    const Reconvergence order(traces_);
    std::array<Reconvergence::Lane, lanes> at{};
    for (std::size_t lane = 0; lane < lanes; ++lane)
      if (!traces_[lane].empty()) order.step(at[lane], traces_[lane]);
    for (;;) {
      const Reconvergence::Key* first = nullptr;
      for (std::size_t lane = 0; lane < lanes; ++lane)
        if (at[lane].next < traces_[lane].size() && (first == nullptr || at[lane].key < *first)) first = &at[lane].key;
      if (first == nullptr) return;
      const Reconvergence::Key key = *first;
      request_.clear();
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        Reconvergence::Lane& l = at[lane];
        if (l.next == traces_[lane].size() || l.key != key) continue;
        request_.push_back(traces_[lane][l.next]);
        if (++l.next < traces_[lane].size()) order.step(l, traces_[lane]);
      }
      count();
    }
  }
  /// Whether all lanes that have an item do the same; the first always has one.
  bool same_sites() const {
    return std::all_of(traces_.begin() + 1, traces_.end(), [&](const Trace& trace) {
      return trace.empty() || std::equal(trace.begin(), trace.end(), traces_[0].begin(), traces_[0].end(),
                                         [](const Access& a, const Access& b) { return a.site == b.site; });
    });
  }

  void count() {
    Counts& c = phases_[now_];
    const Access& first = request_.front();
    double latency = Model::shared, cost = 0;
    if (first.address - shared_ < shared_bytes_) {
      cost = wavefronts();
      c.shared += 1;
      c.wavefronts += cost;
    } else {
      Requests& requests = first.write ? c.writes : c.reads;
      const double sectors = static_cast<double>(distinct(32).size());
      bool is_far = false;
      for (const std::uintptr_t sector : numbers_)
        if (first.write || touched_.insert(sector).second) {
          far_ += 1;
          is_far = true;
        }
      latency = is_far ? Model::far : Model::near;
      cost = static_cast<double>(distinct(128).size());
      requests.count += 1;
      requests.lines += cost;
      requests.sectors += sectors;
    }
    Line& line = c.lines[first.site];
    if (line.requests == 0) line.where = where(first.site);
    line.requests += 1;
    line.cost += cost;
    wait(first.write, latency);
  }
  /// Reads overlap as long as there are no more than `in_flight` of them; no read waits for a write.
  void wait(bool write, double latency) {
    if (write) {
      slowest_ += 1;
      return;
    }
    if (in_flight_++ % Model::in_flight == 0) {
      slowest_ += latency;
      group_ = latency;
    } else if (latency > group_) {
      slowest_ += latency - group_;
      group_ = latency;
    }
  }
  const std::vector<std::uintptr_t>& distinct(std::uintptr_t size) {
    numbers_.clear();
    for (const Access& a : request_)
      for (std::uintptr_t n = a.address / size; n <= (a.address + a.bytes - 1) / size; ++n) numbers_.push_back(n);
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    return numbers_;
  }
  double wavefronts() {
    std::array<int, 32> of_bank{};
    for (const std::uintptr_t word : distinct(4)) ++of_bank[word % 32];
    return *std::max_element(of_bank.begin(), of_bank.end());
  }

  std::vector<Call> calls_;
  std::uintptr_t shared_;
  std::size_t shared_bytes_, next_ = 0, now_ = 0;
  double far_sectors_;
  std::vector<Counts> phases_;
  std::vector<const char*> files_;
  static constexpr std::size_t called = 0x8000;

  // Of the call at work.
  Counts before_;
  std::unordered_set<std::uintptr_t> touched_;
  double waits_ = 0, far_ = 0, warp_waits_ = 0, slowest_ = 0, group_ = 0;
  int in_flight_ = 0;
  std::size_t chain_ = 0;
  std::array<std::size_t, lanes> lengths_{};
  std::array<Trace, lanes> traces_;
  Trace* trace_ = nullptr;
  Trace request_;
  std::vector<std::uintptr_t> numbers_;
};

/// An index that knows where it was written.
struct Index {
  std::ptrdiff_t number;
  std::source_location where;
  template <class I>
    requires std::is_integral_v<I>
  Index(I i, std::source_location at = std::source_location::current())
      : number(static_cast<std::ptrdiff_t>(i)), where(at) {}
};

template <class T>
class CountingPointer {
 public:
  CountingPointer() = default;
  CountingPointer(T* p, Counter* counter) : p_(p), counter_(counter) {}
  template <class U>
    requires(std::is_same_v<T, const U>)
  CountingPointer(const CountingPointer<U>& other) : p_(other.raw()), counter_(other.counter()) {}

  class Reference {
   public:
    Reference(T* p, Counter* counter, const std::source_location& where) : p_(p), counter_(counter), where_(where) {}
    operator std::remove_const_t<T>() const {
      counter_->note(p_, sizeof(T), false, where_);
      return *p_;
    }
    const Reference& operator=(std::remove_const_t<T> value) const {
      counter_->note(p_, sizeof(T), true, where_);
      *p_ = value;
      return *this;
    }
    const Reference& operator=(const Reference& other) const { return *this = std::remove_const_t<T>(other); }

   private:
    T* p_;
    Counter* counter_;
    std::source_location where_;
  };
  Reference operator[](const Index& i) const { return {p_ + i.number, counter_, i.where}; }
  friend CountingPointer operator+(CountingPointer p, std::ptrdiff_t n) { return {p.p_ + n, p.counter_}; }

  T* raw() const { return p_; }
  Counter* counter() const { return counter_; }

 private:
  T* p_ = nullptr;
  Counter* counter_ = nullptr;
};
/// n numbers: one access if they are contiguous.
template <class T>
void note_row(CountingPointer<T> p, int n, bool write, const std::source_location& where) {
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
  if (bytes <= 16 && reinterpret_cast<std::uintptr_t>(p.raw()) % bytes == 0)
    p.counter()->note(p.raw(), bytes, write, where);
  else
    for (int i = 0; i < n; ++i) p.counter()->note(p.raw() + i, sizeof(T), write, where);
}
template <class T>
const T* in(CountingPointer<T> p, int n, std::source_location where = std::source_location::current()) {
  note_row(p, n, false, where);
  return p.raw();
}
template <class T>
T* out(CountingPointer<T> p, int n, std::source_location where = std::source_location::current()) {
  note_row(p, n, true, where);
  return p.raw();
}

template <bool WholeGrid = false>
class CountingExecutor {
 public:
  template <class T>
  using Pointer = CountingPointer<T>;

  CountingExecutor(Counter& counter, int block, int blocks, int threads, std::byte* shared)
      : counter_(&counter), block_(block), blocks_(blocks), threads_(threads), shared_(shared) {}

  int block() const { return block_; }

  template <class Item>
  void items(int n, Item&& item) {
    const int begin = WholeGrid ? block_ * threads_ : 0, size = WholeGrid ? blocks_ * threads_ : threads_;
    const int sweeps = n > begin ? (n - begin - 1) / size + 1 : 0;
    int mine = 0;
    for (int sweep = 0; sweep < sweeps; ++sweep) mine += std::min(threads_, n - begin - sweep * size);
    counter_->begin_items(mine, sweeps * threads_);
    // Between two barriers no warp needs anything of another: each does all its sweeps.
    for (int warp = begin; warp < begin + threads_ && warp < n; warp += lanes) {
      counter_->begin_warp();
      for (int first = warp; first < n; first += size) {
        for (int lane = 0; lane < lanes && first + lane < n; ++lane) {
          counter_->begin_lane(lane);
          item(first + lane);
        }
        counter_->end_sweep();
      }
      counter_->end_warp();
    }
    counter_->end_items();
  }
  template <class Item>
  void items_of_block(int n, Item&& item) {
    for (int i = 0; i < n; ++i) item(i);
  }
  template <class Item>
  void once(Item&& item) {
    item();
  }
  void barrier() { counter_->barrier(); }
  bool any(bool found) {
    counter_->barrier();
    return found;
  }

  void publish(Pointer<std::uint64_t>, std::uint64_t) {}  // not memory of the device

  template <class T>
  Pointer<T> memory(std::size_t at, std::byte* far = nullptr) {
    return {reinterpret_cast<T*>((WholeGrid ? far : shared_) + at), counter_};
  }
  template <class T>
  Pointer<T> global(T* p) {
    return {p, counter_};
  }
  template <class T>
  void discard(Pointer<T>, std::size_t) {}

 private:
  Counter* counter_;
  int block_, blocks_, threads_;
  std::byte* shared_;
};

}  // namespace counting

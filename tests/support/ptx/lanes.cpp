// SPDX-License-Identifier: MIT
#include "support/ptx/lanes.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "support/ptx/fault.hpp"
#include "support/ptx/warp.hpp"

namespace sinter_test::ptx {
namespace {

using Word = std::uint32_t;

enum class From { up, down, bfly, idx };

template <From Which>
void shuffle(Warp& warp, const Instruction& i, Word lanes) {
  const Word* const a = warp.row<Word>(i.a);
  const Word* const b = warp.row<Word>(i.b);
  const Word* const c = warp.row<Word>(i.c);
  Word* const to = warp.row<Word>(i.to);
  std::array<Word, lanes_of_warp> values;
  std::copy_n(a, lanes_of_warp, values.begin());
  Word in_range = 0;
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    require_lanes(warp, warp.row<Word>(i.rows[0])[lane], lanes);
    const int by = static_cast<int>(b[lane] & 31), clamp = static_cast<int>(c[lane] & 31),
              segment = static_cast<int>(c[lane] >> 8 & 31), least = lane & segment, most = least | (clamp & ~segment);
    const int from = Which == From::up     ? lane - by
                     : Which == From::down ? lane + by
                     : Which == From::bfly ? lane ^ by
                                           : least | (by & ~segment);
    const bool right = Which == From::up ? from >= most : from <= most;
    if (right && (lanes >> from & 1) == 0) throw Fault("reads a lane that is not there, " + std::to_string(from));
    to[lane] = values[static_cast<std::size_t>(right ? from : lane)];
    in_range |= static_cast<Word>(right) << lane;
  }
  if (i.vector == 2) {
    Word& predicate = warp.predicate(i.rows[1]);
    predicate = (predicate & ~lanes) | in_range;
  }
}

void ballot(Warp& warp, const Instruction& i, Word lanes) {
  const Word votes = warp.predicate(i.a) & lanes;
  for (int lane = 0; lane < lanes_of_warp; ++lane)
    if ((lanes >> lane & 1) != 0) {
      require_lanes(warp, warp.row<Word>(i.rows[0])[lane], lanes);
      warp.row<Word>(i.to)[lane] = votes;
    }
}

}  // namespace

void require_lanes(const Warp& warp, std::uint32_t wanted, std::uint32_t lanes) {
  if ((wanted & warp.lanes()) == lanes) return;
  const int lane = std::countr_zero((wanted & warp.lanes()) ^ lanes);
  throw Fault((lanes >> lane & 1) != 0 ? "lane " + std::to_string(lane) + " is not in its own mask"
                                       : "lane " + std::to_string(lane) + " of the mask has ended or is elsewhere");
}

Compute exchange_of(const std::vector<std::string>& words) {
  using Words = std::vector<std::string>;
  if (words == Words{"vote", "ballot", "sync", "b32"} || words == Words{"vote", "sync", "ballot", "b32"}) return ballot;
  if (words == Words{"shfl", "sync", "up", "b32"}) return shuffle<From::up>;
  if (words == Words{"shfl", "sync", "down", "b32"}) return shuffle<From::down>;
  if (words == Words{"shfl", "sync", "bfly", "b32"}) return shuffle<From::bfly>;
  if (words == Words{"shfl", "sync", "idx", "b32"}) return shuffle<From::idx>;
  return nullptr;
}

}  // namespace sinter_test::ptx

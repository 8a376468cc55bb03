// SPDX-License-Identifier: MIT
// labels: large change
// The interpreter of PTX, on kernels written by hand.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/error_of.hpp"
#include "support/ptx/block.hpp"
#include "support/ptx/fault.hpp"
#include "support/ptx/module.hpp"

using namespace sinter_test;

namespace {

/// A kernel with the arguments `in` and `out`, %rd1 and %rd2 for the number of this thread in each, and %r1 for its
/// number.
std::string kernel(const std::string& body, const std::string& shared = "") {
  return ".version 9.0\n.target sm_90\n.address_size 64\n" + shared +
         R"(
.visible .entry k(
  .param .u64 in,
  .param .u64 out
)
.maxntid 256, 1, 1
{
  .reg .pred %p<9>;
  .reg .b16 %rs<9>;
  .reg .b32 %r<30>;
  .reg .f32 %f<30>;
  .reg .b64 %rd<30>;
  .reg .f64 %fd<30>;
  ld.param.u64 %rd10, [in];
  ld.param.u64 %rd11, [out];
  cvta.to.global.u64 %rd12, %rd10;
  cvta.to.global.u64 %rd13, %rd11;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd14, %r1, 4;
  add.s64 %rd1, %rd12, %rd14;
  add.s64 %rd2, %rd13, %rd14;
)" + body +
         "\n  ret;\n}\n";
}

/// What `run` is refused with; nothing if it is not.
template <class Work>
std::string fault_of(Work&& run) {
  try {
    run();
  } catch (const ptx::Fault& fault) {
    return fault.what();
  }
  return "";
}

struct Run {
  std::vector<std::uint32_t> in, out;
  ptx::KernelCounts counts;

  explicit Run(std::size_t words = 128) : in(words), out(words) {
    for (std::size_t k = 0; k < words; ++k) in[k] = static_cast<std::uint32_t>(k);
  }
  Run& operator()(const std::string& text, unsigned threads = 64, std::size_t shared_bytes = 1024, unsigned seed = 1,
                  unsigned blocks = 1) {
    ptx::Module module(text);
    const ptx::Kernel& decoded = module.kernel("k");
    ptx::Memory memory;
    std::array<std::byte, 16> arguments{};
    const std::uint64_t addresses[] = {std::bit_cast<std::uint64_t>(in.data()),
                                       std::bit_cast<std::uint64_t>(out.data())};
    std::memcpy(arguments.data(), addresses, sizeof addresses);
    std::vector<ptx::Range> ranges{{reinterpret_cast<std::byte*>(in.data()), 4 * in.size()},
                                   {reinterpret_cast<std::byte*>(out.data()), 4 * out.size()}};
    for (auto& [name, bytes] : module.variables()) ranges.push_back({bytes.data(), bytes.size()});
    memory.begin_launch(ranges, arguments);
    std::mt19937 random(seed);
    for (unsigned block = 0; block < blocks; ++block)
      ptx::Block(decoded, {block, blocks, threads, shared_bytes}, memory, counts, random).run();
    return *this;
  }
};

/// What 32 threads make of numbers, in and out of registers %r2 (and %f2) and %r3 (and %f3).
std::vector<std::uint32_t> computed(const std::string& body, std::vector<std::uint32_t> in) {
  Run run;
  std::copy(in.begin(), in.end(), run.in.begin());
  run(kernel("ld.global.u32 %r2, [%rd1];\nmov.b32 %f2, %r2;\n" + body + "\nst.global.u32 [%rd2], %r3;"), 32);
  run.out.resize(in.size());
  return run.out;
}
std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

const std::string shared = ".extern .shared .align 16 .b8 mine[];\n";
/// Each thread writes a word of shared memory, and reads that of the thread `distance` after it.
std::string neighbours(const std::string& barrier, int distance = 32) {
  return kernel(
      "ld.global.u32 %r2, [%rd1];\nshl.b32 %r4, %r1, 2;\nmov.u32 %r5, mine;\nadd.s32 %r6, %r5, %r4;\n"
      "st.shared.u32 [%r6], %r2;\n" +
          barrier + "\nxor.b32 %r7, %r4, " + std::to_string(4 * distance) +
          ";\nadd.s32 %r8, %r5, %r7;\nld.shared.u32 %r3, [%r8];\nst.global.u32 [%rd2], %r3;",
      shared);
}

}  // namespace

TEST_CASE("arithmetic of whole numbers") {
  CHECK(computed("mad.lo.s32 %r3, %r2, 3, 1;", {5, 0xffffffff}) == std::vector<std::uint32_t>{16, 0xfffffffe});
  CHECK(computed("mul.hi.s32 %r3, %r2, %r2;", {0xffffffff, 0x40000000}) == std::vector<std::uint32_t>{0, 0x10000000});
  CHECK(computed("div.s32 %r3, %r2, -2;", {7, 0xfffffff9}) == std::vector<std::uint32_t>{0xfffffffd, 3});
  CHECK(computed("rem.u32 %r3, %r2, 5;", {7, 0xffffffff}) == std::vector<std::uint32_t>{2, 0});
  CHECK(computed("shr.s32 %r3, %r2, 33;", {0x80000000, 7}) == std::vector<std::uint32_t>{0xffffffff, 0});
  CHECK(computed("shl.b32 %r3, %r2, 32;", {1}) == std::vector<std::uint32_t>{0});
  CHECK(computed("prmt.b32 %r3, %r2, 0x0a0b0c0d, 30212;", {0x44332211}) == std::vector<std::uint32_t>{0x0a0b110d});
  CHECK(computed("cvt.s32.s8 %r3, %r2;", {0x180, 0x7f}) == std::vector<std::uint32_t>{0xffffff80, 0x7f});
  CHECK(computed("mov.b64 %rd3, {%r2, 7};\nshr.u64 %rd4, %rd3, 31;\ncvt.u32.u64 %r3, %rd4;", {0x80000000}) ==
        std::vector<std::uint32_t>{15});
  CHECK(computed("mov.b64 %rd3, {%r2, 7};\nmul.hi.u64 %rd4, %rd3, %rd3;\ncvt.u32.u64 %r3, %rd4;", {0, 0x80000000}) ==
        std::vector<std::uint32_t>{49, 56});
  CHECK(computed("mov.b64 %rd3, {%r2, %r2};\nmul.hi.u64 %rd4, %rd3, -2;\ncvt.u32.u64 %r3, %rd4;", {0xffffffff}) ==
        std::vector<std::uint32_t>{0xfffffffd});
  CHECK(computed("cvt.u64.u32 %rd3, %r2;\nbfi.b64 %rd4, %rd3, 1, 8, 4;\ncvt.u32.u64 %r3, %rd4;", {0xff}) ==
        std::vector<std::uint32_t>{0xf01});
}

TEST_CASE("arithmetic of floating point, rounded once where PTX says so") {
  const float a = 1 + 0x1p-12f;
  const auto of = [](const std::string& body, float x) {
    return computed(body + "\nmov.b32 %r3, %f3;", {bits(x)}).front();
  };
  CHECK(of("fma.rn.f32 %f3, %f2, %f2, 0fBF800000;", a) == bits(std::fma(a, a, -1.0f)));
  // Not one fma: both are rounded.
  const float product = a * a, sum = product - 1;
  CHECK(bits(sum) != bits(std::fma(a, a, -1.0f)));
  CHECK(of("mul.rn.f32 %f4, %f2, %f2;\nadd.rn.f32 %f3, %f4, 0fBF800000;", a) == bits(sum));
  CHECK(of("mul.rn.f32 %f4, %f2, %f2;\nadd.f32 %f3, %f4, 0fBF800000;", a) == bits(sum));
  // Without .rn at both ptxas may make it one, so here it is one.
  CHECK(of("mul.f32 %f4, %f2, %f2;\nadd.f32 %f3, %f4, 0fBF800000;", a) == bits(std::fma(a, a, -1.0f)));
  CHECK(of("mul.f32 %f4, %f2, %f2;\nsub.f32 %f3, 0f3F800000, %f4;", a) == bits(std::fma(-a, a, 1.0f)));
  CHECK(of("mul.f32 %f4, %f2, %f2;\nmov.f32 %f2, 0f00000000;\nadd.f32 %f3, %f4, 0fBF800000;", a) == bits(sum));
  CHECK(of("div.rn.f32 %f3, %f2, 0f40400000;", a) == bits(a / 3));
  CHECK(of("sqrt.rn.f32 %f3, %f2;", 2) == bits(std::sqrt(2.0f)));
  CHECK(of("min.f32 %f3, %f2, 0f7FC00000;", 2) == bits(2));
  CHECK(computed("cvt.rzi.s32.f32 %r3, %f2;", {bits(-2.7f), bits(3e10f), bits(NAN)}) ==
        std::vector<std::uint32_t>{0xfffffffe, 0x7fffffff, 0});
  CHECK(computed("setp.ltu.f32 %p1, %f2, 0f3F800000;\nselp.u32 %r3, 1, 0, %p1;", {bits(NAN), bits(2), bits(0)}) ==
        std::vector<std::uint32_t>{1, 0, 1});
  CHECK(computed("setp.ne.f32 %p1, %f2, 0f3F800000;\nselp.u32 %r3, 1, 0, %p1;", {bits(NAN), bits(2), bits(1)}) ==
        std::vector<std::uint32_t>{0, 1, 0});
}

TEST_CASE("what is not known or not specified to the bit is refused by its name") {
  const auto refused = [](const std::string& body) { return fault_of([&] { Run()(kernel(body)); }); };
  CHECK(
      has(refused("ex2.approx.f32 %f2, %f2;"), "PTX line 25: `ex2.approx.f32 %f2, %f2`: the instruction is not known"));
  CHECK(has(refused("fma.f32 %f3, %f2, %f2, %f2;"), "fma.f32"));
  CHECK(has(refused("div.full.f32 %f3, %f2, %f2;"), "not specified to the last bit"));
  CHECK(has(refused("add.ftz.f32 %f3, %f2, %f2;"), "add.ftz.f32"));
  CHECK(has(refused("match.any.sync.b32 %r3, %r2, -1;"), "match.any"));
  CHECK(has(refused("shfl.sync.bfly.b64 %rd3, %rd2, 1, 31, -1;"), "this exchange between lanes is not known"));
  CHECK(has(refused("atom.global.max.u32 %r3, [%rd2], 1;"), "of atomic operations, sums of 32 bits are known"));
  CHECK(has(refused("ld.const.u32 %r3, [%rd2];"), ".const is not known"));
  CHECK(has(refused("add.s32 %r3, %r2, %rd2;"), "another width"));
  CHECK(has(refused("bra nowhere;"), "no label nowhere"));
  CHECK(has(refused("bar.sync 1;"), "this barrier is not known"));
  CHECK(has(refused("div.u32 %r3, %r1, 0;"), "divides by 0"));
  CHECK(has(refused("loop:\nbra loop;"), "a loop without an end"));
}

TEST_CASE("each thread has local memory of its own") {
  const std::string own = ".local .align 16 .b8 depot[32];\nmov.u64 %rd3, depot;\n";
  // Written by all before any reads it, in every order of warps.
  const std::string writes = own +
                             "add.s64 %rd4, %rd3, 8;\nst.local.u32 [%rd4], %r1;\nbar.sync 0;\n"
                             "ld.local.u32 %r3, [%rd3+8];\nst.global.u32 [%rd2], %r3;";
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Run run = Run()(kernel(writes), 64, 0, seed);
    for (std::uint32_t thread = 0; thread < 64; ++thread) CHECK(run.out[thread] == thread);
  }
  // What was not written is no number, in the next block too.
  const Run fresh = Run()(kernel(own + "ld.local.u32 %r3, [%rd3+4];\nst.local.u32 [%rd3+4], %r1;\n"
                                       "st.global.u32 [%rd2], %r3;"),
                          32, 0, 1, 1);
  CHECK(fresh.out[7] == 0xffffffff);
  const auto refused = [&](const std::string& body) { return fault_of([&] { Run()(kernel(own + body)); }); };
  CHECK(has(refused("ld.local.u32 %r3, [%rd3+32];"), "of a thread's own memory, whose 32 bytes"));
  CHECK(has(refused("st.local.u32 [%rd3+-4], %r1;"), "of a thread's own memory"));
  CHECK(has(refused("ld.local.u32 %r3, [%rd1];"), "of a thread's own memory"));
  CHECK(has(refused("ld.local.v2.f32 {%f2, %f3}, [%rd3+4];"), "no multiple"));
  CHECK(has(refused("ld.global.u32 %r3, [%rd3];"), "below all allocations"));
}

TEST_CASE("lanes part and meet again") {
  // Loops of as many rounds as the number of the thread, and a branch inside.
  const auto out = Run(64)(kernel(R"(
  mov.u32 %r2, 0;
  mov.u32 %r3, 0;
again:
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra end;
  and.b32 %r4, %r2, 1;
  setp.eq.u32 %p2, %r4, 0;
  @!%p2 bra odd;
  add.s32 %r3, %r3, 10;
  bra.uni next;
odd:
  add.s32 %r3, %r3, 1;
next:
  add.s32 %r2, %r2, 1;
  bra again;
end:
  bar.sync 0;
  st.global.u32 [%rd2], %r3;)"),
                           40)
                       .out;
  for (std::uint32_t k = 0; k < 40; ++k) CHECK(out[k] == (k + 1) / 2 * 10 + k / 2);
  CHECK(out[40] == 0);
}

TEST_CASE("a barrier orders what warps do; without it a race is found, in any order of the warps") {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const auto out = Run()(neighbours("bar.sync 0;"), 64, 256, seed).out;
    for (std::uint32_t k = 0; k < 64; ++k) CHECK(out[k] == (k ^ 32));
    const std::string race = fault_of([&] { Run()(neighbours(""), 64, 256, seed); });
    CHECK(has(race, "a race"));
    CHECK(has(race, "since the last barrier"));
    CHECK(has(race, "kernel k, PTX line"));
  }
  CHECK(has(fault_of([&] { Run()(neighbours("", 1), 32, 256); }), "a race"));  // within a warp, too
  CHECK(
      has(fault_of([&] { Run()(kernel("st.global.u32 [%rd13], %r1;"), 2); }), "another thread since the last barrier"));
  CHECK(
      has(fault_of([&] { Run()(kernel("st.global.u32 [%rd2], %r1;"), 32, 0, 1, 2); }), "another block of this launch"));
  CHECK(fault_of([&] { Run()(kernel("ld.global.u32 %r3, [%rd12];\nst.global.u32 [%rd2], %r3;"), 64); }).empty());
}

TEST_CASE("numbers are rounded for tensor cores") {
  const auto tf32 = [](float x) { return computed("cvt.rn.tf32.f32 %r3, %f2;", {bits(x)})[0]; };
  CHECK(tf32(1 + 0x1p-10f) == bits(1 + 0x1p-10f));
  CHECK(tf32(1 + 0x1p-11f) == bits(1));  // as near to both: the even one
  CHECK(tf32(1 + 3 * 0x1p-11f) == bits(1 + 0x1p-9f));
  CHECK(tf32(-1 - 0x1.8p-11f) == bits(-1 - 0x1p-10f));
  CHECK(tf32(INFINITY) == bits(INFINITY));
  CHECK(std::isnan(std::bit_cast<float>(computed("cvt.rn.tf32.f32 %r3, %f2;", {0x7fffffff})[0])));
  CHECK(computed("mov.f32 %f4, 0f3F800000;\ncvt.rn.bf16x2.f32 %r3, %f2, %f4;", {bits(3 + 0x1p-8f)})[0] == 0x40403f80);
}

TEST_CASE("a warp multiplies matrices") {
  // a [row][k] is row for k = 1 and 0 else, b [k][column] 10 + column for k = 1, c 100: in lane l rows l / 4, + 8 and
  // columns l % 4 * 2, + 1.
  const std::string given = R"(
  shr.u32 %r4, %r1, 2;
  and.b32 %r5, %r1, 3;
  cvt.rn.f32.u32 %f4, %r4;
  add.f32 %f5, %f4, 0f41000000;
  add.f32 %f6, %f4, 0f41200000;
  mov.f32 %f8, 0f42C80000;
  mov.f32 %f7, 0f00000000;
)";
  const std::string tf32 = given + R"(
  setp.eq.u32 %p1, %r5, 1;
  selp.f32 %f10, %f4, %f7, %p1;
  selp.f32 %f11, %f5, %f7, %p1;
  selp.f32 %f12, %f6, %f7, %p1;
  mov.b32 %r10, %f10;
  mov.b32 %r11, %f11;
  mov.b32 %r12, %f12;
  mov.b32 %r13, %f7;
  mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f20, %f21, %f22, %f23}, {%r10, %r11, %r13, %r13}, {%r12, %r13}, {%f8, %f8, %f8, %f8};
)";
  const std::string bf16 = given + R"(
  setp.eq.u32 %p1, %r5, 0;
  selp.f32 %f10, %f4, %f7, %p1;
  selp.f32 %f11, %f5, %f7, %p1;
  selp.f32 %f12, %f6, %f7, %p1;
  cvt.rn.bf16x2.f32 %r10, %f10, %f7;
  cvt.rn.bf16x2.f32 %r11, %f11, %f7;
  cvt.rn.bf16x2.f32 %r12, %f12, %f7;
  mov.b32 %r13, %f7;
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f20, %f21, %f22, %f23}, {%r10, %r11, %r13, %r13}, {%r12, %r13}, {%f8, %f8, %f8, %f8};
)";
  for (const std::string& body : {tf32, bf16})
    for (int k = 0; k < 4; ++k) {
      Run run;
      run(kernel(body + "mov.b32 %r3, %f2" + std::to_string(k) + ";\nst.global.u32 [%rd2], %r3;"), 32);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        const std::size_t row = lane / 4 + static_cast<std::size_t>(k / 2 * 8),
                          column = lane % 4 * 2 + static_cast<std::size_t>(k % 2);
        CHECK(run.out[lane] == bits(static_cast<float>(100 + row * (10 + column))));
      }
    }
  const auto refused = [&](const std::string& body, unsigned threads) {
    return fault_of([&] { Run()(kernel(body), threads); });
  };
  CHECK(has(refused(tf32, 16), "not all lanes of the warp are at this product"));
  CHECK(has(refused("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};", 32),
            "this product of matrices is not known"));
}

TEST_CASE("lanes of a warp exchange numbers") {
  using Numbers = std::vector<std::uint32_t>;
  const auto exchanged = [](const std::string& body) {
    Run run;
    run(kernel("setp.lt.u32 %p2, %r1, 5;\nld.global.u32 %r2, [%rd1];\n" + body + "\nst.global.u32 [%rd2], %r3;"), 32);
    return Numbers{run.out[0], run.out[7], run.out[8], run.out[31]};
  };
  CHECK(exchanged("shfl.sync.down.b32 %r3, %r2, 1, 31, -1;") == Numbers{1, 8, 9, 31});
  CHECK(exchanged("shfl.sync.up.b32 %r3, %r2, 1, 0, -1;") == Numbers{0, 6, 7, 30});
  CHECK(exchanged("shfl.sync.bfly.b32 %r3, %r2, 8, 31, -1;") == Numbers{8, 15, 0, 23});
  CHECK(exchanged("shfl.sync.idx.b32 %r3, %r2, 5, 31, -1;") == Numbers{5, 5, 5, 5});
  // In segments of 8 lanes, and whether the other lane is in the segment.
  CHECK(exchanged("shfl.sync.down.b32 %r3, %r2, 1, 0x181f, -1;") == Numbers{1, 7, 9, 31});
  CHECK(exchanged("shfl.sync.down.b32 %r4|%p1, %r2, 1, 0x181f, -1;\nselp.u32 %r3, 1, 0, %p1;") == Numbers{1, 0, 1, 0});
  CHECK(exchanged("vote.sync.ballot.b32 %r3, %p2, -1;") == Numbers{31, 31, 31, 31});
  CHECK(exchanged("mov.u32 %r4, %lanemask_le;\npopc.b32 %r3, %r4;") == Numbers{1, 8, 9, 32});
  CHECK(exchanged("clz.b32 %r3, %r2;") == Numbers{32, 29, 28, 27});
  CHECK(exchanged("bmsk.clamp.b32 %r3, 4, %r2;") == Numbers{0, 0x7f0, 0xff0, 0xfffffff0});

  const auto refused = [&](const std::string& body) { return fault_of([&] { exchanged(body); }); };
  CHECK(has(refused("@%p2 shfl.sync.down.b32 %r3, %r2, 1, 31, -1;"), "lane 5 of the mask has ended or is elsewhere"));
  CHECK(has(refused("@%p2 vote.sync.ballot.b32 %r3, %p2, 15;"), "lane 4 is not in its own mask"));
  CHECK(has(refused("@%p2 shfl.sync.down.b32 %r3, %r2, 1, 31, 31;"), "reads a lane that is not there, 5"));
  CHECK(has(refused("@%p2 bar.warp.sync -1;"), "lane 5 of the mask has ended or is elsewhere"));
}

TEST_CASE("a barrier of a warp orders what its lanes do, and no other warp") {
  CHECK(fault_of([&] { Run()(neighbours("bar.warp.sync -1;", 1), 64, 256); }).empty());
  CHECK(has(fault_of([&] { Run()(neighbours("bar.warp.sync -1;", 32), 64, 256); }), "a race"));
  // A word that all lanes have read is written by one of them.
  const auto after = [](const std::string& barrier, unsigned threads) {
    return fault_of([&] {
      Run()(kernel("ld.shared.u32 %r3, [mine];\n" + barrier +
                       "\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 st.shared.u32 [mine], %r1;",
                   shared),
            threads, 256);
    });
  };
  CHECK(after("bar.warp.sync -1;", 32).empty());
  CHECK(has(after("", 32), "a race"));
  CHECK(has(after("bar.warp.sync -1;", 64), "a race"));
}

TEST_CASE("threads may meet in atomic and volatile accesses, and in bytes of a word") {
  Run run;
  run(kernel("atom.global.add.u32 %r3, [%rd13], 2;"), 64, 0, 1, 2);
  CHECK(run.out[0] == 256);
  CHECK(has(fault_of([&] { Run()(kernel("atom.global.add.u32 %r3, [%rd13], 2;\nld.global.u32 %r4, [%rd13];"), 64); }),
            "a race"));
  CHECK(has(fault_of([&] { Run()(kernel("st.global.u32 [%rd13], 1;\natom.global.add.u32 %r3, [%rd13], 2;"), 2); }),
            "a race"));
  const std::string counted = "atom.shared.add.u32 %r3, [mine], 1;\nbar.sync 0;\nld.shared.u32 %r3, [mine];\n";
  CHECK(Run()(kernel(counted + "st.global.u32 [%rd2], %r3;", shared), 64, 256).out[63] == 63);  // from 0xffffffff on

  CHECK(fault_of([&] { Run()(kernel("st.volatile.global.u32 [%rd13], 1;"), 1, 0, 1, 2); }).empty());
  CHECK(has(fault_of([&] { Run()(kernel("st.global.u32 [%rd13], 1;"), 1, 0, 1, 2); }), "another block"));

  const std::string bytes =
      "mov.u32 %r5, mine;\nadd.s32 %r6, %r5, %r1;\ncvt.u16.u32 %rs1, %r1;\nst.shared.u8 [%r6], %rs1;\nbar.sync 0;\n"
      "ld.shared.u32 %r3, [mine+4];\nst.global.u32 [%rd2], %r3;";
  CHECK(Run()(kernel(bytes, shared), 64, 256).out[9] == 0x07060504);
}

TEST_CASE("barriers that not all threads reach are refused") {
  const auto part = [](const std::string& rest) {
    return fault_of([&] { Run()(kernel("setp.lt.u32 %p1, %r1, 32;\nsetp.lt.u32 %p2, %r1, 5;\n" + rest), 64); });
  };
  CHECK(has(part("@%p1 bar.sync 0;"), "a barrier that not all threads reach: this one has ended"));
  CHECK(has(part("@%p2 bar.sync 0;"), "a barrier that not all threads reach"));
  CHECK(has(part("@%p1 bra other;\nbar.sync 0;\nret;\nother:\nbar.sync 0;"), "waits at another one"));
  CHECK(part("bar.sync 0;").empty());
  CHECK(has(part("@%p2 ret;\nbar.sync 0;"), "thread 0 of block 0: a barrier that not all threads reach"));

  // One that asks whether any thread found something.
  const std::string any =
      "setp.eq.u32 %p3, %r1, 40;\nbar.red.or.pred %p4, 0, %p3;\nselp.u32 %r3, 1, 0, %p4;\n"
      "st.global.u32 [%rd2], %r3;";
  CHECK(Run()(kernel(any), 64).out[3] == 1);
  CHECK(Run()(kernel(any), 32).out[3] == 0);
}

TEST_CASE("every access is checked for its region, its state space and its alignment") {
  const auto refused = [](const std::string& body) {
    return fault_of([&] { Run(64)(kernel(body, shared), 64, 256); });
  };
  CHECK(refused("ld.global.u32 %r3, [%rd1];").empty());
  CHECK(has(refused("ld.global.u32 %r3, [%rd1+4];"), "thread 63 of block 0: 4 bytes at 0x"));
  CHECK(has(refused("ld.global.u32 %r3, [%rd1+4];"), "byte 256 of the 256 bytes"));
  CHECK(has(refused("ld.global.u32 %r3, [%rd1+2];"), "no multiple"));
  CHECK(has(refused("ld.global.v2.u32 {%r3, %r4}, [%rd1];"), "no multiple"));
  CHECK(has(refused("mov.u64 %rd3, 0;\nst.global.u32 [%rd3], %r1;"), "below all allocations"));
  CHECK(has(refused("mov.u32 %r4, mine;\nst.shared.u32 [%r4+256], %r1;"), "of shared memory, whose 256 bytes"));
  CHECK(has(refused("mov.u32 %r4, mine;\nst.shared.u32 [%r4+-4], %r1;"), "of shared memory"));
  // A shared address as a global one, and as a generic one.
  CHECK(has(refused("mov.u64 %rd3, mine;\nld.global.u32 %r3, [%rd3];"), "of global memory"));
  CHECK(has(refused("mov.u64 %rd3, mine;\ncvta.shared.u64 %rd4, %rd3;\nld.global.u32 %r3, [%rd4];"),
            "no address of global memory, but of shared memory"));
  CHECK(refused("mov.u64 %rd3, mine;\ncvta.shared.u64 %rd4, %rd3;\nld.u32 %r3, [%rd4];").empty());
  CHECK(has(refused("ld.shared.u32 %r3, [%rd1];"), "of shared memory"));
  CHECK(has(refused("ld.param.u64 %rd3, [in+16];"), "of the arguments"));
}

TEST_CASE("tables of constants are global memory") {
  const std::string table = ".global .align 8 .b8 table[8] = {1, 2, 0, 0, 255};\n";
  const auto read = [&](const std::string& where) {
    Run run;
    run(kernel("mov.u64 %rd3, table;\nld.global.u32 %r3, [" + where + "];\nst.global.u32 [%rd2], %r3;", table), 1);
    return run.out.front();
  };
  CHECK(read("%rd3") == 0x201);
  CHECK(read("table+4") == 255);
  CHECK(has(fault_of([&] { read("%rd3+8"); }), "of the 8 bytes"));
}

TEST_CASE("shared memory and registers begin as NaN, and instructions are counted") {
  const auto out = Run()(kernel("ld.shared.u32 %r3, [mine];\nst.global.u32 [%rd2], %r3;", shared), 32, 64).out;
  CHECK(out[0] == 0xffffffff);
  Run run;
  run(neighbours("bar.sync 0;"), 64, 256);
  REQUIRE(run.counts.phases.size() == 2);
  const ptx::Counts &before = run.counts.phases.begin()->second, &after = run.counts.phases.rbegin()->second;
  const auto of = [](const ptx::Counts& counts, ptx::Kind kind) {
    return counts.warps[static_cast<std::size_t>(kind)];
  };
  CHECK(of(before, ptx::Kind::shared_store) == 2);
  CHECK(of(before, ptx::Kind::barrier) == 2);
  CHECK(of(after, ptx::Kind::shared_load) == 2);
  CHECK(of(after, ptx::Kind::global_store) == 2);
  CHECK(after.sectors >= 8);  // 10 where `out` begins within one
  CHECK(after.sectors <= 10);
  CHECK(before.threads == 32 * before.total());
}

// SPDX-License-Identifier: MIT
#include "support/ptx/arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "support/ptx/fault.hpp"
#include "support/ptx/tensor_cores.hpp"
#include "support/ptx/warp.hpp"

namespace sinter_test::ptx {
namespace {

template <class F>
void each_lane(std::uint32_t lanes, F&& f) {
  if (lanes == all_lanes) {
    for (int lane = 0; lane < lanes_of_warp; ++lane) f(lane);
  } else {
    for (int lane = 0; lane < lanes_of_warp; ++lane)
      if ((lanes >> lane & 1) != 0) f(lane);
  }
}

template <class To, class A, auto Op>
void one(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  To* to = warp.row<To>(i.to);
  const A* a = warp.row<A>(i.a);
  each_lane(lanes, [&](int lane) { to[lane] = static_cast<To>(Op(a[lane])); });
}
template <class To, class A, class B, auto Op>
void two(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  To* to = warp.row<To>(i.to);
  const A* a = warp.row<A>(i.a);
  const B* b = warp.row<B>(i.b);
  each_lane(lanes, [&](int lane) { to[lane] = static_cast<To>(Op(a[lane], b[lane])); });
}
template <class To, class A, class B, class C, auto Op>
void three(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  To* to = warp.row<To>(i.to);
  const A* a = warp.row<A>(i.a);
  const B* b = warp.row<B>(i.b);
  const C* c = warp.row<C>(i.c);
  each_lane(lanes, [&](int lane) { to[lane] = static_cast<To>(Op(a[lane], b[lane], c[lane])); });
}
template <class T, auto Op>
void compare(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const T* a = warp.row<T>(i.a);
  const T* b = warp.row<T>(i.b);
  std::uint32_t found = 0;
  for (int lane = 0; lane < lanes_of_warp; ++lane)
    found |= static_cast<std::uint32_t>(static_cast<bool>(Op(a[lane], b[lane]))) << lane;
  std::uint32_t& to = warp.predicate(i.to);
  to = (to & ~lanes) | (found & lanes);
}
template <auto Op>
void logic(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const std::uint32_t found = Op(warp.predicate(i.a), warp.predicate(i.b));
  std::uint32_t& to = warp.predicate(i.to);
  to = (to & ~lanes) | (found & lanes);
}
template <class T>
void select(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  T* to = warp.row<T>(i.to);
  const T* a = warp.row<T>(i.a);
  const T* b = warp.row<T>(i.b);
  const std::uint32_t yes = warp.predicate(i.c);
  each_lane(lanes, [&](int lane) { to[lane] = (yes >> lane & 1) != 0 ? a[lane] : b[lane]; });
}

/// One of the functions that `of` makes of number types: of<std::int32_t>() and so on.
template <class Of>
Compute for_type(Type type, Of of) {
  if (type.kind == Type::real) {
    if (type.width == 32) return of(float{});
    if (type.width == 64) return of(double{});
    return nullptr;
  }
  const bool with_sign = type.kind == Type::integer;
  if (type.width == 8) return with_sign ? of(std::int8_t{}) : of(std::uint8_t{});
  if (type.width == 16) return with_sign ? of(std::int16_t{}) : of(std::uint16_t{});
  if (type.width == 32) return with_sign ? of(std::int32_t{}) : of(std::uint32_t{});
  if (type.width == 64) return with_sign ? of(std::int64_t{}) : of(std::uint64_t{});
  return nullptr;
}
Type without_sign(Type type) { return type.kind == Type::integer ? Type{Type::natural, type.width} : type; }

template <auto Op>
Compute one_of(Type type) {
  return for_type(type, [](auto t) -> Compute { return &one<decltype(t), decltype(t), Op>; });
}
template <auto Op>
Compute two_of(Type type) {
  return for_type(type, [](auto t) -> Compute { return &two<decltype(t), decltype(t), decltype(t), Op>; });
}
template <auto Op>
Compute three_of(Type type) {
  return for_type(type,
                  [](auto t) -> Compute { return &three<decltype(t), decltype(t), decltype(t), decltype(t), Op>; });
}
template <auto Op>
Compute compare_of(Type type) {
  return for_type(type, [](auto t) -> Compute { return &compare<decltype(t), Op>; });
}

template <class T>
using Twice = std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                                 std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class T>
auto at_least_32(T x) {
  if constexpr (sizeof(T) < 4)
    return static_cast<std::uint32_t>(x);
  else
    return x;
}

template <class T>
T quotient(T a, T b) {
  if (b == 0) throw Fault("divides by 0");
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(-static_cast<std::make_unsigned_t<T>>(a));
  return static_cast<T>(a / b);
}
template <class T>
T remainder_of(T a, T b) {
  if (b == 0) throw Fault("takes a remainder by 0");
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

/// The smaller one; of a number and NaN the number, and of zeros -0.
template <class T>
T least(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}
template <class T>
T largest(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}

/// Towards zero; what does not fit becomes the nearest that does, and NaN 0.
template <class To, class From>
To whole(From x) {
  if (x != x) return 0;
  const From lowest = static_cast<From>(std::numeric_limits<To>::min());
  const From above = std::ldexp(From(1), std::numeric_limits<To>::digits);
  if (x < lowest) return std::numeric_limits<To>::min();
  if (x >= above) return std::numeric_limits<To>::max();
  return static_cast<To>(x);
}

template <class To>
Compute converted_from(Type from, bool towards_zero, bool nearest) {
  return for_type(from, [&](auto t) -> Compute {
    using From = decltype(t);
    constexpr bool to_real = std::is_floating_point_v<To>, of_real = std::is_floating_point_v<From>;
    if constexpr (of_real && !to_real) {
      if (!towards_zero) return nullptr;
      return &one<To, From, [](From x) { return whole<To>(x); }>;
    } else {
      const bool exact = !to_real || (of_real && sizeof(To) > sizeof(From));
      if (towards_zero || nearest == exact) return nullptr;
      return &one<To, From, [](From x) { return static_cast<To>(x); }>;
    }
  });
}
Compute converted(Type to, Type from, bool towards_zero, bool nearest) {
  return for_type(to, [&](auto t) { return converted_from<decltype(t)>(from, towards_zero, nearest); });
}

Compute comparison(const std::string& how, Type type) {
  // Where a number is NaN, the names with a "u" at their end hold, the others do not.
  const bool real = type.kind == Type::real;
  if (how == "eq") return compare_of<[](auto a, auto b) { return a == b; }>(type);
  if (how == "ne")
    return real ? compare_of<[](auto a, auto b) { return (a < b || a > b); }>(type)
                : compare_of<[](auto a, auto b) { return a != b; }>(type);
  if (how == "lt") return compare_of<[](auto a, auto b) { return (a < b); }>(type);
  if (how == "le") return compare_of<[](auto a, auto b) { return (a <= b); }>(type);
  if (how == "gt") return compare_of<[](auto a, auto b) { return (a > b); }>(type);
  if (how == "ge") return compare_of<[](auto a, auto b) { return (a >= b); }>(type);
  if (!real) return nullptr;
  if (how == "equ") return compare_of<[](auto a, auto b) { return !(a < b || a > b); }>(type);
  if (how == "neu") return compare_of<[](auto a, auto b) { return a != b; }>(type);
  if (how == "ltu") return compare_of<[](auto a, auto b) { return !(a >= b); }>(type);
  if (how == "leu") return compare_of<[](auto a, auto b) { return !(a > b); }>(type);
  if (how == "gtu") return compare_of<[](auto a, auto b) { return !(a <= b); }>(type);
  if (how == "geu") return compare_of<[](auto a, auto b) { return !(a < b); }>(type);
  if (how == "num") return compare_of<[](auto a, auto b) { return a == a && b == b; }>(type);
  if (how == "nan") return compare_of<[](auto a, auto b) { return a != a || b != b; }>(type);
  return nullptr;
}

std::uint32_t permuted(std::uint32_t a, std::uint32_t b, std::uint32_t how) {
  const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
  std::uint32_t bytes = 0;
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t choice = how >> 4 * k & 15;
    auto byte = static_cast<std::uint32_t>(both >> 8 * (choice & 7) & 0xff);
    if ((choice & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    bytes |= byte << 8 * k;
  }
  return bytes;
}

/// bfi: the low bits of a register into another, `c` from the bit in its first byte on, as many as its second says.
template <class T>
void insert_bits(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  T* to = warp.row<T>(i.to);
  const T* a = warp.row<T>(i.a);
  const T* b = warp.row<T>(i.b);
  const auto* c = warp.row<std::uint32_t>(i.c);
  const auto* length = warp.row<std::uint32_t>(i.rows[0]);
  each_lane(lanes, [&](int lane) {
    const std::uint32_t at = c[lane] & 0xff, n = length[lane] & 0xff;
    constexpr std::uint32_t width = 8 * sizeof(T);
    const T ones = n >= width ? static_cast<T>(~T(0)) : static_cast<T>((T(1) << n) - 1);
    const T mask = at >= width ? T(0) : static_cast<T>(ones << at);
    const T moved = at >= width ? T(0) : static_cast<T>(a[lane] << at);
    to[lane] = static_cast<T>((b[lane] & ~mask) | (moved & mask));
  });
}

/// As many ones, from a bit on.
std::uint32_t mask_of_bits(std::uint32_t first, std::uint32_t count) {
  const std::uint32_t ones = count >= 32 ? all_lanes : (std::uint32_t{1} << count) - 1;
  return first >= 32 ? 0 : ones << first;
}

bool has(const std::vector<std::string>& words, const char* word) {
  return std::find(words.begin() + 1, words.end(), word) != words.end();
}

Arithmetic logic_of(const std::string& op) {
  const Type p{Type::predicate, 1};
  if (op == "not") return {&logic<[](std::uint32_t a, std::uint32_t) { return ~a; }>, p, {p}, Kind::compare};
  if (op == "mov") return {&logic<[](std::uint32_t a, std::uint32_t) { return a; }>, p, {p}, Kind::compare};
  if (op == "and") return {&logic<[](std::uint32_t a, std::uint32_t b) { return a & b; }>, p, {p, p}, Kind::compare};
  if (op == "or") return {&logic<[](std::uint32_t a, std::uint32_t b) { return a | b; }>, p, {p, p}, Kind::compare};
  if (op == "xor") return {&logic<[](std::uint32_t a, std::uint32_t b) { return a ^ b; }>, p, {p, p}, Kind::compare};
  return {};
}

template <class T>
constexpr Compute rounded_once = &three<T, T, T, T, [](T a, T b, T c) { return std::fma(a, b, c); }>;
template <class T>
constexpr Compute square_root = &one<T, T, [](T a) { return std::sqrt(a); }>;

Arithmetic real_of(const std::string& op, Type t, bool rounded) {
  const bool single = t.width == 32;
  if (op == "add") return {two_of<[](auto a, auto b) { return a + b; }>(t), t, {t, t}, Kind::real};
  if (op == "sub") return {two_of<[](auto a, auto b) { return a - b; }>(t), t, {t, t}, Kind::real};
  if (op == "mul") return {two_of<[](auto a, auto b) { return a * b; }>(t), t, {t, t}, Kind::real};
  if (op == "min") return {two_of<[](auto a, auto b) { return least(a, b); }>(t), t, {t, t}, Kind::real};
  if (op == "max") return {two_of<[](auto a, auto b) { return largest(a, b); }>(t), t, {t, t}, Kind::real};
  if (op == "neg") return {one_of<[](auto a) { return -a; }>(t), t, {t}, Kind::real};
  if (op == "abs") return {one_of<[](auto a) { return (a < 0) ? -a : a; }>(t), t, {t}, Kind::real};
  if (!rounded) return {};
  if (op == "fma") return {single ? rounded_once<float> : rounded_once<double>, t, {t, t, t}, Kind::fma};
  if (op == "div") return {two_of<[](auto a, auto b) { return a / b; }>(t), t, {t, t}, Kind::real};
  if (op == "rcp") return {one_of<[](auto a) { return 1 / a; }>(t), t, {t}, Kind::real};
  if (op == "sqrt") return {single ? square_root<float> : square_root<double>, t, {t}, Kind::real};
  return {};
}

/// Of whole numbers alone.
template <class Of>
Compute for_whole(Type type, Of of) {
  return for_type(type, [&](auto x) -> Compute {
    if constexpr (std::is_integral_v<decltype(x)>)
      return of(x);
    else
      return nullptr;
  });
}
template <auto Op>
Compute whole_two_of(Type type) {
  return for_whole(type, [](auto x) { return Compute(&two<decltype(x), decltype(x), decltype(x), Op>); });
}
constexpr auto inverted = [](auto a) { return ~a; };

// Shifts by the width and more leave nothing, or the sign.
template <class T>
T shifted_left(T a, std::uint32_t by) {
  return by >= 8 * sizeof(T) ? T(0) : static_cast<T>(a << by);
}
template <class T>
T shifted_right(T a, std::uint32_t by) {
  constexpr std::uint32_t width = 8 * sizeof(T);
  if (by >= width) return std::is_signed_v<T> ? static_cast<T>(a >> (width - 1)) : T(0);
  return static_cast<T>(a >> by);
}

/// The upper half of a product.
template <class T>
T high_product(T a, T b) {
  return static_cast<T>(static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b) >> (8 * sizeof(T)));
}
template <class T>
Twice<T> wide_product(T a, T b) {
  return static_cast<Twice<T>>(static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b));
}
/// The upper 64 bits of a product of 128.
std::uint64_t high_product_of_64(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t low = 0xffffffff, a0 = a & low, a1 = a >> 32, b0 = b & low, b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & low);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}
template <class T>
Twice<T> wide_sum(T a, T b, Twice<T> c) {
  using N = std::make_unsigned_t<Twice<T>>;
  return static_cast<Twice<T>>(static_cast<N>(wide_product(a, b)) + static_cast<N>(c));
}
template <class T>
constexpr bool widens = std::is_integral_v<T> && (sizeof(T) == 2 || sizeof(T) == 4);

Arithmetic product_of(const std::string& op, const std::vector<std::string>& words, Type t) {
  const Type n = without_sign(t);
  const bool adds = op == "mad";
  if (has(words, "lo")) {
    // Of 16 bits, too, without the sign that C++ promotes them to.
    if (adds)
      return {three_of<[](auto a, auto b, auto c) { return at_least_32(a) * at_least_32(b) + at_least_32(c); }>(n),
              t,
              {t, t, t}};
    return {two_of<[](auto a, auto b) { return at_least_32(a) * at_least_32(b); }>(n), t, {t, t}};
  }
  if (has(words, "hi") && !adds && t == Type{Type::integer, 32})
    return {&two<std::int32_t, std::int32_t, std::int32_t, high_product<std::int32_t>>, t, {t, t}};
  if (has(words, "hi") && !adds && t == Type{Type::natural, 32})
    return {&two<std::uint32_t, std::uint32_t, std::uint32_t, high_product<std::uint32_t>>, t, {t, t}};
  if (has(words, "hi") && !adds && t == Type{Type::natural, 64})
    return {&two<std::uint64_t, std::uint64_t, std::uint64_t, high_product_of_64>, t, {t, t}};
  if (!has(words, "wide")) return {};
  const Type wide{t.kind, 2 * t.width};
  const auto make = [&](auto x) -> Compute {
    using T = decltype(x);
    if constexpr (widens<T>)
      return adds ? Compute(&three<Twice<T>, T, T, Twice<T>, wide_sum<T>>) : &two<Twice<T>, T, T, wide_product<T>>;
    else
      return nullptr;
  };
  return adds ? Arithmetic{for_type(t, make), wide, {t, t, wide}} : Arithmetic{for_type(t, make), wide, {t, t}};
}

Arithmetic whole_of(const std::string& op, const std::vector<std::string>& words, Type t) {
  const Type n = without_sign(t), shift{Type::natural, 32};
  if (op == "add") return {two_of<[](auto a, auto b) { return a + b; }>(n), t, {t, t}};
  if (op == "sub") return {two_of<[](auto a, auto b) { return a - b; }>(n), t, {t, t}};
  if (op == "neg") return {one_of<[](auto a) { return decltype(a)(0) - a; }>(n), t, {t}};
  if (op == "mul" || op == "mad") return product_of(op, words, t);
  if (op == "min") return {two_of<[](auto a, auto b) { return least(a, b); }>(t), t, {t, t}};
  if (op == "max") return {two_of<[](auto a, auto b) { return largest(a, b); }>(t), t, {t, t}};
  if (op == "div") return {whole_two_of<[](auto a, auto b) { return quotient(a, b); }>(t), t, {t, t}};
  if (op == "rem") return {whole_two_of<[](auto a, auto b) { return remainder_of(a, b); }>(t), t, {t, t}};
  if (op == "and") return {whole_two_of<[](auto a, auto b) { return a & b; }>(n), t, {t, t}};
  if (op == "or") return {whole_two_of<[](auto a, auto b) { return a | b; }>(n), t, {t, t}};
  if (op == "xor") return {whole_two_of<[](auto a, auto b) { return a ^ b; }>(n), t, {t, t}};
  if (op == "not")
    return {for_whole(n, [](auto x) { return Compute(&one<decltype(x), decltype(x), inverted>); }), t, {t}};
  const auto shifts = [](auto left) {
    return [](auto x) {
      using T = decltype(x);
      if constexpr (decltype(left)::value)
        return Compute(&two<T, T, std::uint32_t, shifted_left<T>>);
      else
        return Compute(&two<T, T, std::uint32_t, shifted_right<T>>);
    };
  };
  if (op == "shl") return {for_whole(n, shifts(std::true_type{})), t, {t, shift}};
  if (op == "shr") return {for_whole(t, shifts(std::false_type{})), t, {t, shift}};
  if (op == "popc" && t.width == 32)
    return {&one<std::uint32_t, std::uint32_t, [](std::uint32_t a) { return std::popcount(a); }>, t, {t}};
  if (op == "clz" && t.width == 32)
    return {&one<std::uint32_t, std::uint32_t, [](std::uint32_t a) { return std::countl_zero(a); }>, t, {t}};
  if (op == "bmsk" && t.width == 32 && has(words, "clamp"))
    return {&two<std::uint32_t, std::uint32_t, std::uint32_t, mask_of_bits>, t, {shift, shift}};
  if (op == "bfi" && t.width == 64) return {&insert_bits<std::uint64_t>, t, {t, t, shift, shift}};
  if (op == "bfi" && t.width == 32) return {&insert_bits<std::uint32_t>, t, {t, t, shift, shift}};
  if (op == "prmt" && t.width == 32 && words.size() == 2)
    return {&three<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, permuted>, t, {t, t, t}};
  return {};
}

}  // namespace

Type type_of(const std::string& word) {
  if (word == "pred") return {Type::predicate, 1};
  if (word.size() < 2 || word.size() > 3) return {};
  const std::string width = word.substr(1);
  if (width != "8" && width != "16" && width != "32" && width != "64") return {};
  const int bits = std::stoi(width);
  if (word[0] == 'b') return {Type::bits, bits};
  if (word[0] == 's') return {Type::integer, bits};
  if (word[0] == 'u') return {Type::natural, bits};
  if (word[0] == 'f' && bits >= 32) return {Type::real, bits};
  return {};
}

Arithmetic arithmetic_of(const std::vector<std::string>& words) {
  const std::string& op = words.front();
  const Type t = type_of(words.back());
  const Type p{Type::predicate, 1};
  if (t.kind == Type::none) return {};
  for (const char* unspecified : {"approx", "full", "ftz", "sat", "rm", "rp", "rz"})
    if (has(words, unspecified)) return {};
  if (op == "setp" && words.size() == 3) return {comparison(words[1], t), p, {t, t}, Kind::compare};
  if (const Compute compute = tensor_conversion_of(words); compute != nullptr) {
    const bool two = words[2] == "bf16x2";
    return {compute, {Type::bits, 32}, two ? std::vector<Type>{t, t} : std::vector<Type>{t}, Kind::move};
  }
  if (op == "cvt") {
    const bool towards_zero = has(words, "rzi"), nearest = has(words, "rn");
    if (words.size() != (towards_zero || nearest ? 4u : 3u)) return {};
    const Type to = type_of(words[words.size() - 2]);
    if (to.kind == Type::none) return {};
    return {converted(to, t, towards_zero, nearest), to, {t}, Kind::move};
  }
  if (t.kind == Type::predicate) return words.size() == 2 ? logic_of(op) : Arithmetic{};
  if (op == "selp")
    return {for_type(t, [](auto x) -> Compute { return &select<decltype(x)>; }), t, {t, t, p}, Kind::compare};
  if (op == "mov") return {one_of<[](auto a) { return a; }>(t), t, {t}, Kind::move};
  if (op == "cvta") return {one_of<[](auto a) { return a; }>(t), t, {t}, Kind::move};
  if (t.kind == Type::real) {
    const bool rounded = has(words, "rn");
    if (words.size() != (rounded ? 3u : 2u)) return {};
    return real_of(op, t, rounded);
  }
  return whole_of(op, words, t);
}

}  // namespace sinter_test::ptx

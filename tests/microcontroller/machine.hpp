// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// A Cortex-M without an operating system, as QEMU emulates it: it starts, prints, counts, and ends with a status.
namespace machine {

/// Semihosting: the debugger, here QEMU, does what is asked.
inline int ask(int operation, const void* argument) {
  register int r0 asm("r0") = operation;
  register const void* r1 asm("r1") = argument;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}
inline void print(const char* text) { ask(0x04, text); }
inline void print(std::uint32_t number) {
  char digits[11];
  char* at = digits + 10;
  for (*at = 0; at == digits + 10 || number != 0; number /= 10) *--at = static_cast<char>('0' + number % 10);
  print(at);
}
[[noreturn]] inline void end(bool well) {
  const std::uint32_t reason_and_status[] = {0x20026, well ? 0u : 1u};  // the application ended
  ask(0x20, reason_and_status);
  for (;;) {
  }
}

/// Where the stack ends now.
inline const std::uint32_t* stack() {
  const std::uint32_t* top = nullptr;
  asm volatile("mov %0, sp" : "=r"(top));
  return top;
}

/// SysTick counts down, 24 bits, with the processor's clock.
inline volatile std::uint32_t* const systick = reinterpret_cast<volatile std::uint32_t*>(0xe000e010);
inline void start_clock() {
  systick[1] = 0xffffff;
  systick[2] = 0;
  systick[0] = 5;
}
inline std::uint32_t ticks() { return 0xffffff - systick[2]; }

}  // namespace machine

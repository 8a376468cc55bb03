// SPDX-License-Identifier: MIT
// What runs before main. QEMU has loaded data and cleared the rest of the memory.
#include <cstdint>

#include "machine.hpp"

extern "C" {
int main();
extern std::uint32_t stack_end[];

void reset() {
  *reinterpret_cast<volatile std::uint32_t*>(0xe000ed88) |= 0xfu << 20;  // the unit for floats
  asm volatile("dsb\n isb");
  machine::end(main() == 0);
}
void fault() {
  machine::print("fault\n");
  machine::end(false);
}

/// What the C library reports errors of sqrt(double) by.
int* __errno() {
  static int number = 0;
  return &number;
}

[[gnu::section(".vectors"), gnu::used]] void* const vectors[] = {
    stack_end,
    reinterpret_cast<void*>(reset),
    reinterpret_cast<void*>(fault),
    reinterpret_cast<void*>(fault),
    reinterpret_cast<void*>(fault),
    reinterpret_cast<void*>(fault),
    reinterpret_cast<void*>(fault),
};
}

// SPDX-License-Identifier: MIT
#pragma once

// Of Arduino's core what the examples use; Serial prints to the standard output.
#include <stdio.h>

void setup();
void loop();

struct Console {
  void begin(long) {}
  void println(int number) { printf("%d\n", number); }
};
inline Console Serial;

#if __STDC_HOSTED__ && !defined(__arm__)
int main() {
  setup();
  loop();
}
#endif

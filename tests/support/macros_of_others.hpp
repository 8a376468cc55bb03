// SPDX-License-Identifier: MIT
#pragma once

// Names that headers of others define as macros, before anything of ours is included.
#include <complex.h>  // I, complex
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/param.h>      // MIN, MAX, roundup, howmany
#include <sys/sysmacros.h>  // major, minor

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#if !defined(_WIN32)
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

// <complex.h> of C, as g++ has it with -std=gnu++20, and <termios.h>
#define I _Complex_I
#define B0 0
#define B1 1
// Qt
#define slots
#define signals public
#define emit
#define foreach for
#define forever for (;;)
// <curses.h>, which undefines macros that break the standard library
#define border(a, b, c, d, e, f, g, h) wborder(a, b, c, d, e, f, g, h)
#define timeout(delay) wtimeout(stdscr, delay)
#define instr(text) winstr(stdscr, text)
#define scroll(w) wscrl(w, 1)
#define inch() winch(stdscr)
#define hline(c, n) whline(stdscr, c, n)
#define vline(c, n) wvline(stdscr, c, n)
#define OK 0
#define ERR (-1)
#define TRUE 1
#define FALSE 0
// <windows.h>, X11 and old C
#define small char
#define near
#define far
#define interface struct
#define IN
#define OUT
#define OPTIONAL
#define ERROR 0
#define Status int
#define None 0L
#define Bool int
#define Success 0
#define Always 2
#define Unsorted 0
// Arduino, R, CUDA's samples, PyTorch, glog
#define PI 3.14159
#define F(text) text
#define length Rf_length
#define T0 0

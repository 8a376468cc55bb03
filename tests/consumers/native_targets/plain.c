/* SPDX-License-Identifier: MIT */
/* A source file in C, which is given no header of C++. */
int plain(void) { return 1; }

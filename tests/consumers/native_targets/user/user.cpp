// SPDX-License-Identifier: MIT
float answer_static(float question);

int main() { return answer_static(0.5f) != 0 ? 0 : 1; }

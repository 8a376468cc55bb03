/* SPDX-License-Identifier: MIT */
/* consumer FOLDER: opens the weights in FOLDER, predicts its rows in C, and compares. Then what must fail. */
#include <digits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float* read_floats(const char* folder, const char* name, size_t count) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  float* const numbers = malloc(count * sizeof(float));
  FILE* const file = fopen(path, "rb");
  if (!file || fread(numbers, sizeof(float), count, file) != count) exit(2);
  fclose(file);
  return numbers;
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const size_t rows = 150, outputs = digits_outputs();
  float* const x = read_floats(arguments[1], "x", rows * digits_inputs());
  float* const wanted = read_floats(arguments[1], "y", rows * outputs);
  float* const y = calloc(rows * outputs, sizeof(float));
  char path[4096];
  snprintf(path, sizeof path, "%s/digits.safetensors", arguments[1]);

  digits_model* const model = digits_open(path);
  if (!model) {
    printf("refused: %s\n", digits_error());
    return 3;
  }
  if (digits_predict(model, x, rows, y) != 0) return 4;
  double difference = 0, norm = 0;
  for (size_t i = 0; i < rows * outputs; ++i) {
    difference += ((double)y[i] - wanted[i]) * ((double)y[i] - wanted[i]);
    norm += (double)wanted[i] * wanted[i];
  }
  printf("%s: relative error %g\n", digits_isa(model), sqrt(difference / norm));
  if (!(sqrt(difference / norm) < 1e-6)) return 5;
  /* A row alone gives the same bits. */
  float one[64];
  if (digits_predict(model, x + 77 * digits_inputs(), 1, one) != 0) return 6;
  if (memcmp(one, y + 77 * outputs, outputs * sizeof(float)) != 0) return 7;

  /* Weights with a scale take pixels as they are. */
  float* const pixels = read_floats(arguments[1], "pixels", rows * digits_inputs());
  float* const of_pixels = calloc(rows * outputs, sizeof(float));
  snprintf(path, sizeof path, "%s/scaled.safetensors", arguments[1]);
  digits_model* const scaled = digits_open(path);
  if (!scaled || digits_predict(scaled, pixels, rows, of_pixels) != 0) return 11;
  if (memcmp(of_pixels, y, rows * outputs * sizeof(float)) != 0) return 12;
  if (digits_predict(model, pixels, rows, of_pixels) != 0) return 13;
  if (memcmp(of_pixels, y, rows * outputs * sizeof(float)) == 0) return 14;
  digits_close(scaled);
  snprintf(path, sizeof path, "%s/columns.safetensors", arguments[1]);
  digits_model* const by_channel = digits_open(path);
  if (!by_channel || digits_predict(by_channel, pixels, rows, of_pixels) != 0) return 15;
  if (memcmp(of_pixels, y, rows * outputs * sizeof(float)) != 0) return 16;
  digits_close(by_channel);
  free(pixels);
  free(of_pixels);

  if (digits_predict(NULL, x, 1, y) != -1 || !strstr(digits_error(), "no model was given")) return 8;
  if (digits_predict(model, NULL, 1, y) != -1 || !strstr(digits_error(), "no rows were given")) return 9;
  if (digits_predict(model, x, 1, NULL) != -1 || !strstr(digits_error(), "no room for the outputs")) return 15;
  if (digits_predict(model, x, (size_t)-1, y) != -1 || !strstr(digits_error(), "rows were asked for")) return 16;
  /* Weights of another network. */
  snprintf(path, sizeof path, "%s/other.safetensors", arguments[1]);
  if (digits_open(path) || !strstr(digits_error(), "does not fit the network of this library: missing: 4.weight [24, 216]") ||
      strstr(digits_error(), "LoadOptions"))
    return 17;
  if (digits_open("/nowhere/at_all") || !strstr(digits_error(), "/nowhere/at_all")) return 10;
  digits_close(model);
  digits_close(NULL);
  free(x);
  free(y);
  free(wanted);
  return 0;
}

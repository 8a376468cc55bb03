/* SPDX-License-Identifier: MIT */
/* consumer FOLDER: opens the weights in FOLDER, predicts its rows in C, and compares. Then what must fail. */
#include <digits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts allocations, of the library, too. */
static long allocations = 0;
#ifdef __GLIBC__
extern void* __libc_malloc(size_t);
extern void* __libc_memalign(size_t, size_t);
void* malloc(size_t size) { return ++allocations, __libc_malloc(size); }
void* aligned_alloc(size_t alignment, size_t size) { return ++allocations, __libc_memalign(alignment, size); }
#endif

/* What a server asks of a library: the model's name and tensors, weights from memory, and predictions without allocating. */
static int serve(const char* folder, const float* x, size_t rows, const float* wanted) {
  if (digits_interface() != digits_INTERFACE || digits_INTERFACE != 4) return 20;
  size_t in[3] = {0}, out[3] = {0};
  if (digits_input_shape(in) != 3 || in[0] != 1 || in[1] != 12 || in[2] != 12) return 21;
  if (digits_output_shape(out) != 1 || out[0] != 7) return 22;
  if (digits_input_count() != 1 || digits_name_of_input(0) || digits_shape_of_input(0, in) != 3 || in[2] != 12 ||
      digits_shape_of_input(1, in) != 0)
    return 39;
  if (digits_output_count() != 1 || digits_name_of_output(0) || digits_shape_of_output(0, out) != 1 || out[0] != 7 ||
      digits_shape_of_output(1, out) != 0)
    return 40;
  if (strcmp(digits_network(), "Digits") || strcmp(digits_input_name(), "input") ||
      strcmp(digits_output_name(), "output"))
    return 23;

  char path[4096];
  snprintf(path, sizeof path, "%s/named.safetensors", folder);
  FILE* const file = fopen(path, "rb");
  static char bytes[1 << 20];
  const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  if (size == 0 || size == sizeof bytes || fclose(file) != 0) return 24;
  digits_model* const model = digits_open_bytes(bytes, size);
  if (!model) return 25;
  memset(bytes, 0, size); /* it has a copy */
  if (strcmp(digits_class_name(model, 0), "a") || strcmp(digits_class_name(model, 6), "the \"last\" one")) return 26;
  if (digits_class_name(model, 7) || digits_class_name(NULL, 0)) return 27;
  if (strcmp(digits_class_of_output(model, 0, 1), "b") || digits_class_of_output(model, 1, 0)) return 41;
  if (!digits_self_tested(model) || digits_self_tested(NULL)) return 28;

  float* const y = calloc(rows * 7, sizeof(float));
  const long before = allocations;
  digits_workspace* const workspace = digits_workspace_open(model);
#ifdef __GLIBC__
  if (!workspace || allocations == before) return 29;
#endif
  for (int times = 0; times < 2; ++times) {
    const long now = allocations;
    if (digits_predict_in(model, x, rows, workspace, y) != 0 || allocations != now) return 30;
    if (memcmp(y, wanted, rows * 7 * sizeof(float)) != 0) return 31;
  }
  if (digits_predict_in(model, x, 1, NULL, y) != -1 || !strstr(digits_error(), "no workspace was given")) return 32;
  if (digits_predict_in(NULL, x, 1, workspace, y) != -1 || !strstr(digits_error(), "no model was given")) return 33;
  if (digits_workspace_open(NULL) || !strstr(digits_error(), "no model was given")) return 34;
  /* A model with scales needs more than one without. */
  snprintf(path, sizeof path, "%s/columns.safetensors", folder);
  digits_model* const scaled = digits_open(path);
  if (!scaled || digits_class_name(scaled, 0)) return 35;
  if (digits_predict_in(scaled, x, 1, workspace, y) != -1 || !strstr(digits_error(), "or one of another model"))
    return 36;
  digits_close(scaled);
  digits_workspace_close(workspace);
  digits_workspace_close(NULL);
  digits_close(model);
  if (digits_open_bytes(NULL, 5) || !strstr(digits_error(), "no weights were given")) return 37;
  if (digits_open_bytes("nonsense", 8) || !strstr(digits_error(), "the file in memory")) return 38;
  free(y);
  return 0;
}

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
  const int problem = serve(arguments[1], x, rows, y);
  if (problem) return problem;

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
  if (digits_open(path) ||
      !strstr(digits_error(), "does not fit the network of this library: missing: 4.weight [24, 216]") ||
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

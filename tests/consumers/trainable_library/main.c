/* SPDX-License-Identifier: MIT
   Trains through the C interface, and gives it what it must refuse. */
#include <math.h>
#include <nets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check(int right, const char* what) {
  if (right) return;
  printf("wrong: %s (%s)\n", what, nets_error());
  ++failures;
}
static void refused(int code, const char* part) {
  check(code == nets_REFUSED && strstr(nets_error(), part) != NULL, part);
}

enum { ROWS = 200 };
static float inputs[ROWS * 2], curve_inputs[ROWS * 3], curve[ROWS];
static int32_t labels[ROWS];

static int32_t count_epochs(void* context, const nets_epoch* epoch) {
  int* const count = (int*)context;
  check(epoch->epoch == *count + 1 && epoch->seconds >= 0, "the epoch that a callback is given");
  ++*count;
  return *count == 5; /* which ends the training */
}

int main(void) {
  nets_network *net = NULL, *copy = NULL, *of_curve = NULL, *logs = NULL;
  nets_trainer* trainer = NULL;
  nets_rows rows = {ROWS, inputs, labels, NULL, NULL}, none = {0, NULL, NULL, NULL, NULL}, wrong;
  nets_fit_options options;
  nets_epoch epoch;
  double loss = 0, accuracy = 0, first = 0;
  size_t sizes[4], i;
  float y[2 * ROWS], y_of_copy[2 * ROWS], bias[16];
  int count = 0;

  for (i = 0; i < ROWS; ++i) {
    inputs[2 * i] = (float)(i * 37 % 101) / 50 - 1;
    inputs[2 * i + 1] = (float)(i * 53 % 103) / 51 - 1;
    labels[i] = inputs[2 * i] * inputs[2 * i] + inputs[2 * i + 1] * inputs[2 * i + 1] < 0.5f;
    memcpy(curve_inputs + 3 * i, inputs + 2 * i, 2 * sizeof(float));
    curve_inputs[3 * i + 2] = 1;
    curve[i] = inputs[2 * i] * inputs[2 * i + 1];
  }

  check(nets_interface() == nets_INTERFACE, "the version");
  check(nets_network_count() == 3 && strcmp(nets_network_name(1), "Curve") == 0 && nets_network_name(3) == NULL, "names");
  if (nets_create("Disc", "host", 1, &net) != nets_OK) {
    printf("%s\n", nets_error());
    return 1;
  }
  check(strlen(nets_isa()) > 0, "the instruction set");
  check(nets_inputs(net) == 2 && nets_outputs(net) == 2 && nets_input_shape(net, sizes) == 1 && sizes[0] == 2, "sizes");
  check(nets_parameter_count(net) == 4 && strcmp(nets_parameter_name(net, 1), "0.bias") == 0, "parameters");
  check(nets_parameter_size(net, 0) == 32 && nets_parameter_shape(net, 0, sizes) == 2 && sizes[0] == 16 && sizes[1] == 2,
        "the shape of a parameter");

  /* Training learns, and a callback ends it. */
  check(nets_trainer_create(net, "CrossEntropyLoss", "Adam(lr=0.05)", NULL, &trainer) == nets_OK, "trainer");
  nets_fit_defaults(&options);
  options.epochs = 100;
  options.validation = &rows;
  options.on_epoch = count_epochs;
  options.context = &count;
  check(nets_fit(trainer, &rows, &options) == nets_OK && count == 5 && nets_epoch_count(trainer) == 5, "fit");
  check(strstr(nets_stopped(trainer), "the callback asked for it") != NULL, "why it ended");
  check(nets_epoch_record(trainer, 4, &epoch) == nets_OK && epoch.validation_accuracy > 0.5 && epoch.learning_rate == 0.05,
        "the record of an epoch");
  options.on_epoch = NULL;
  check(nets_fit(trainer, &rows, &options) == nets_OK && nets_epoch_count(trainer) == 105, "more epochs");
  check(strcmp(nets_stopped(trainer), "") == 0, "fit that ended by itself");
  check(nets_evaluate(net, "CrossEntropyLoss", &rows, &loss, &accuracy) == nets_OK && accuracy > 0.95 && loss < 0.2,
        "it has learned");

  /* A stop, also one before fit begins; early stopping with the best weights. */
  nets_stop(trainer);
  check(nets_fit(trainer, &rows, &options) == nets_OK && strstr(nets_stopped(trainer), "stop was called") != NULL, "stop");
  options.patience = 2;
  options.least_gain = 100;
  options.restore_best = 1;
  check(nets_fit(trainer, &rows, &options) == nets_OK && strstr(nets_stopped(trainer), "no better loss for 2 epochs") != NULL,
        "early stopping");

  /* Predictions, copies and files. */
  check(nets_predict(net, inputs, ROWS, y) == nets_OK, "predict");
  check(nets_copy(net, &copy) == nets_OK && nets_predict(copy, inputs, ROWS, y_of_copy) == nets_OK, "copy");
  check(memcmp(y, y_of_copy, sizeof y) == 0, "a copy has the same outputs");
  nets_parameter(copy, "2.bias")[0] += 1;
  check(nets_predict(copy, inputs, 1, y_of_copy) == nets_OK && fabs(y_of_copy[0] - y[0] - 1) < 1e-5, "parameters in place");
  check(nets_save(net, "disc.safetensors") == nets_OK && nets_load(copy, "disc.safetensors") == nets_OK, "files");
  check(nets_predict(copy, inputs, ROWS, y_of_copy) == nets_OK && memcmp(y, y_of_copy, sizeof y) == 0, "a loaded network");
  check(nets_read_parameter(net, "0.bias", bias) == nets_OK && memcmp(bias, nets_parameter(net, "0.bias"), 64) == 0, "read");
  bias[3] = 42;
  check(nets_write_parameter(net, "0.bias", bias) == nets_OK && nets_parameter(net, "0.bias")[3] == 42, "write");

  /* The optimizer's state and gradients in place; two half batches make a whole one. */
  check(nets_optimizer_state(trainer, "0.weight", 1)[0] > 0, "the optimizer's state");
  check(nets_optimizer_state(trainer, "0.weight", 2) == NULL && strstr(nets_error(), "2 of an optimizer with 2") != NULL,
        "a state that Adam does not keep");
  wrong = rows;
  wrong.count = ROWS / 2;
  check(nets_accumulate(trainer, &wrong, &first) == nets_OK && first > 0, "accumulate");
  wrong.inputs += ROWS, wrong.labels += ROWS / 2;
  check(nets_accumulate(trainer, &wrong, NULL) == nets_OK, "accumulate more");
  check(nets_gradient(net, "2.bias")[0] != 0, "a gradient");
  i = (size_t)nets_step_count(trainer);
  check(nets_update(trainer) == nets_OK && (size_t)nets_step_count(trainer) == i + 1, "update");
  check(nets_step(trainer, &rows, &loss) == nets_OK && loss > 0, "step");
  check(nets_accumulate(trainer, &wrong, NULL) == nets_OK && nets_clear(trainer) == nets_OK, "clear");
  refused(nets_update(trainer), "");
  check(nets_set_rate(trainer, 0.25) == nets_OK && nets_rate(trainer) == 0.25, "the rate");

  /* A trainer goes on working without the handle of its network. */
  nets_destroy(net);
  check(nets_step(trainer, &rows, &loss) == nets_OK, "a trainer keeps its network");
  nets_trainer_destroy(trainer);

  /* Regression, with running statistics and a schedule of epochs. */
  check(nets_create("Curve", "host:2", 1, &of_curve) == nets_OK, "create another");
  rows.inputs = curve_inputs, rows.labels = NULL, rows.targets = curve;
  check(nets_trainer_create(of_curve, "MSELoss", "SGD(lr=0.1, momentum=0.9)", "StepLR(step_size=10)", &trainer) == nets_OK,
        "trainer of targets");
  check(nets_evaluate(of_curve, "MSELoss", &rows, &first, &accuracy) == nets_OK && isnan(accuracy), "no accuracy");
  options.epochs = 20, options.patience = 0, options.validation = NULL, options.held_out_first = 150, options.held_out_count = 50;
  check(nets_fit(trainer, &rows, &options) == nets_OK && nets_epoch_record(trainer, 19, &epoch) == nets_OK, "fit of targets");
  check(epoch.validation_loss < first / 4 && fabs(epoch.learning_rate - 0.01) < 1e-9, "the curve is learned");
  check(nets_parameter(of_curve, "1.running_mean") != NULL && nets_parameter_count(of_curve) == 8, "buffers");
  nets_trainer_destroy(trainer);

  /* What cannot be is refused, in words, and changes nothing. */
  net = NULL;
  refused(nets_create("Disk", "host", 1, &net), "no network \"Disk\"; it has Disc, Curve, Logs");
  check(net == NULL, "what could not be made is NULL");
  refused(nets_create("Disc", "gpu", 1, &net), "the device \"gpu\" is not known");
  refused(nets_create("Disc", "host:0", 1, &net), "the device \"host:0\"");
  refused(nets_create("Disc", "host:2x", 1, &net), "the device \"host:2x\"");
  refused(nets_create("Disc", "cuda", 1, &net), "without CUDA");
  refused(nets_create(NULL, "host", 1, &net), "NULL was given for the name");
  refused(nets_predict(NULL, inputs, 1, y), "NULL was given for a network");
  refused(nets_predict(copy, NULL, 1, y), "no rows were given");
  refused(nets_predict(copy, inputs, (size_t)-1, y), "no machine has");
  refused(nets_load(copy, "no_such.safetensors"), "no_such.safetensors");
  refused(nets_save(copy, "/no/such/folder/a.safetensors"), "/no/such/folder/a.safetensors");
  trainer = NULL;
  refused(nets_trainer_create(copy, "CrossEntropy", "SGD", "", &trainer), "the loss \"CrossEntropy\" is not known");
  refused(nets_trainer_create(copy, "NLLLoss", "SGD", "", &trainer), "NLLLoss takes log-probabilities");
  refused(nets_trainer_create(copy, "MSELoss(size=2)", "SGD", "", &trainer), "MSELoss was given the option \"size\"");
  refused(nets_trainer_create(copy, "MSELoss", "SGD(lr=fast)", "", &trainer), "lr = \"fast\", expected a number");
  refused(nets_trainer_create(copy, "MSELoss", "SGD(lr=-1)", "", &trainer), "lr = -1");
  refused(nets_trainer_create(copy, "MSELoss", "SGD(lr=nan)", "", &trainer), "lr = nan");
  refused(nets_trainer_create(copy, "MSELoss", "SGD(lr=1e999)", "", &trainer), "1e999");
  refused(nets_trainer_create(copy, "MSELoss", "SGD(learning_rate=1)", "", &trainer), "has lr, momentum");
  refused(nets_trainer_create(copy, "MSELoss", "SGD(lr=1", "", &trainer), "ends in no parenthesis");
  refused(nets_trainer_create(copy, "MSELoss", "SGD(lr=1, lr=2)", "", &trainer), "an option twice");
  refused(nets_trainer_create(copy, "MSELoss", "SGD(lr)", "", &trainer), "has no =");
  refused(nets_trainer_create(copy, "MSELoss", "", "", &trainer), "has no name");
  refused(nets_trainer_create(copy, "MSELoss", "SGD", "StepLR(step_size=0)", &trainer), "step_size = 0");
  refused(nets_trainer_create(copy, "MSELoss", "SGD", "Cosine", &trainer), "the schedule \"Cosine\" is not known");
  refused(nets_trainer_create(copy, "MSELoss", "SGD", "ReduceLROnPlateau(factor=10)", &trainer), "factor = 10");
  check(trainer == NULL, "what could not be made is NULL");
  check(nets_create("Logs", "host", 1, &logs) == nets_OK, "create a third");
  refused(nets_trainer_create(logs, "CrossEntropyLoss", "SGD", "", &trainer), "CrossEntropyLoss takes scores");
  check(nets_trainer_create(copy, "CrossEntropyLoss", "SGD", "StepLR(step_size=1)", &trainer) == nets_OK, "trainer");
  refused(nets_step(trainer, NULL, NULL), "NULL was given for the rows");
  refused(nets_step(trainer, &rows, NULL), "labels, and none were given");
  rows.inputs = inputs, rows.labels = labels, rows.targets = NULL;
  refused(nets_step(trainer, &rows, NULL), "the schedule counts epochs");
  refused(nets_fit(trainer, &none, NULL), "0 rows");
  labels[7] = 2;
  refused(nets_fit(trainer, &rows, NULL), "row 7 of the labels is 2, expected 0 to 1");
  labels[7] = 1;
  options.batch_size = 0;
  refused(nets_fit(trainer, &rows, &options), "batch_size = 0");
  nets_fit_defaults(&options);
  options.held_out_first = 190, options.held_out_count = 11;
  refused(nets_fit(trainer, &rows, &options), "hold out 11 rows from row 190");
  refused(nets_epoch_record(trainer, 0, &epoch), "epoch 0 of 0");
  refused(nets_set_rate(trainer, -1), "lr = -1");
  check(nets_parameter(copy, "9.weight") == NULL && strlen(nets_error()) > 0, "an unknown parameter");
  nets_trainer_destroy(trainer);

  /* A step that would make numbers that are not finite is left out. */
  check(nets_trainer_create(copy, "MSELoss", "SGD(lr=1e30)", "", &trainer) == nets_OK, "a large rate");
  rows.labels = NULL, rows.targets = inputs;
  for (i = 0; i < 4 && nets_step(trainer, &rows, NULL) == nets_OK; ++i) {
  }
  check(i < 4 && nets_step(trainer, &rows, NULL) == nets_NOT_FINITE, "not finite");
  check(isfinite(nets_parameter(copy, "0.weight")[0]), "the weights are finite");
  check(nets_fit(trainer, &rows, NULL) == nets_NOT_FINITE && strstr(nets_error(), "epoch 1") != NULL, "fit that is not finite");

  nets_trainer_destroy(trainer);
  nets_trainer_destroy(NULL);
  nets_destroy(copy);
  nets_destroy(of_curve);
  nets_destroy(logs);
  nets_destroy(NULL);
  if (failures == 0) printf("trained\n");
  return failures != 0;
}

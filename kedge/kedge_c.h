#ifndef KEDGE_KEDGE_C_H
#define KEDGE_KEDGE_C_H

/* kedge in C: prediction beyond the data, for every language that can call C.
 *
 * Handles are opaque. A function that makes one writes it through its last parameters. Each has a _free that takes
 * NULL too. All const handles are safe from many threads; a controller is for one thread at a time.
 *
 * A function that can fail returns a kedge_status. When it is not KEDGE_OK, kedge_error() has one line that says what
 * was needed, what was found and what to do, for the thread that called; outputs are NULL then. No exception, signal
 * or output to a terminal leaves the library, and it starts no thread that outlives a call.
 *
 * Settings are JSON objects by the names of the command line's flags, with _ for -: {"model": "bilinear", "seed": 1}.
 * docs/python.md lists them. NULL or "" are all defaults. An unknown name is an error. The same settings give the same
 * model as the command line, bit for bit. "device": "cuda" or "auto" trains on a CUDA device where the library has been
 * built with CUDA.
 *
 * Parameters `role` and `which` are values of the enums above them. Matrices are row-major: a row for each query or
 * time step. Texts are UTF-8. Rows and columns count from 0.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KEDGE_API __attribute__((visibility("default")))
#else
#define KEDGE_API
#endif

/* Grows when a program that was compiled against an older header could no longer run. */
#define KEDGE_ABI_VERSION 1

KEDGE_API uint32_t kedge_abi_version(void);
/* Of the library, "0.1.0". */
KEDGE_API const char* kedge_version(void);

typedef enum kedge_status {
  KEDGE_OK = 0,
  KEDGE_INVALID = 1,   /* a fault of the caller's data or settings */
  KEDGE_STOPPED = 2,   /* the watch asked for it; nothing was made */
  KEDGE_DIVERGED = 3,  /* the loss of a training is no longer finite */
  KEDGE_DAMAGED = 4,   /* a file or its bytes cannot be read or written, or hold something else */
  KEDGE_NO_MEMORY = 5,
  KEDGE_INTERNAL = 6   /* a fault of kedge */
} kedge_status;

/* The last failure of this thread; "" when there was none. Valid until its next call of a function that can fail. */
KEDGE_API const char* kedge_error(void);
/* The setting that mends it, as "learning_rate"; "" where there is none. */
KEDGE_API const char* kedge_error_setting(void);

/* Bytes that the library owns: a JSON text, or a model file. A 0 follows the last byte. */
typedef struct kedge_text kedge_text;
KEDGE_API const char* kedge_text_data(const kedge_text* text);
KEDGE_API size_t kedge_text_size(const kedge_text* text);
KEDGE_API void kedge_text_free(kedge_text* text);

/* ---- Long work ---- */

typedef struct kedge_progress {
  uint64_t step, steps;    /* of training; 0 of 0 where there are none */
  double loss;             /* mean over the last steps */
  double work, total_work; /* seconds of one core, by an estimate; 0 where steps alone tell */
  const char* phase;       /* "choosing", "training", "rehearsing", "measuring" or "" */
} kedge_progress;

/* Called at most twenty times a second, one call at a time, from threads of the library. Returning 0 stops the work. */
typedef int (*kedge_watch)(void* context, const kedge_progress* progress);

/* How work is run; NULL instead of one is all zeros. Never changes a result. */
typedef struct kedge_run {
  int32_t threads; /* 0: one for each core */
  kedge_watch watch;
  void* context;
} kedge_run;

/* ---- Tables ---- */

typedef enum kedge_role {
  KEDGE_INPUT = 0,
  KEDGE_OUTPUT = 1,
  KEDGE_LABEL = 2, /* in training only rows of the same number are paired */
  KEDGE_EPISODE = 3,
  KEDGE_TIME = 4, /* likewise */
  KEDGE_IGNORED = 5,
  KEDGE_WEIGHT = 6 /* how much a row counts in training, 0 or more */
} kedge_role;

typedef struct kedge_table kedge_table;
/* An empty table; `source` is what errors call it. */
KEDGE_API kedge_status kedge_table_new(const char* source, kedge_table** table);
/* A CSV file of numbers with a header line, also compressed by gzip where the library was built with zlib; every column
 * is an input. */
KEDGE_API kedge_status kedge_table_read(const char* path, kedge_table** table);
/* Copies a column; value r is values[r * stride]. */
KEDGE_API kedge_status kedge_table_add(kedge_table* table, const char* name, int32_t role, const double* values,
                                       size_t rows, ptrdiff_t stride);
/* Gives a column another role. */
KEDGE_API kedge_status kedge_table_assign(kedge_table* table, const char* name, int32_t role);
KEDGE_API size_t kedge_table_rows(const kedge_table* table);
KEDGE_API void kedge_table_free(kedge_table* table);

/* ---- Fitting ---- */

typedef struct kedge_predictor kedge_predictor;

/* Whether rows of the training table may (1) or may not (0) answer for each other. */
typedef struct kedge_pair_example {
  uint32_t query, anchor;
  float weight;
} kedge_pair_example;

/* Fits a predictor as `kedge fit` does. Inputs that never change are left out. `validation` may be NULL; of parameters
 * at each twentieth of a training those are kept that do best on its rows, whose columns are matched by name.
 * `examples` may be NULL; they need the setting "weights": "labels" or "joint". `report` may be NULL; it becomes a JSON
 * object: what was left out, chosen and trained. */
KEDGE_API kedge_status kedge_fit(const kedge_table* table, const kedge_table* validation, const char* settings,
                                 const kedge_pair_example* examples, size_t example_count, const kedge_run* run,
                                 kedge_predictor** predictor, kedge_text** report);

/* Errors beyond the data of each model, as `kedge cv` finds them. Settings are those of a fit, and "models" and
 * "effort". */
KEDGE_API kedge_status kedge_cross_validate(const kedge_table* table, const char* settings, const kedge_run* run,
                                            kedge_text** report);

/* ---- Predictors ---- */

KEDGE_API kedge_status kedge_predictor_load(const char* path, kedge_predictor** predictor);
/* The file is replaced at once or not at all. */
KEDGE_API kedge_status kedge_predictor_save(const kedge_predictor* predictor, const char* path);
/* The same through memory; `source` is what errors call it. */
KEDGE_API kedge_status kedge_predictor_from_bytes(const void* bytes, size_t size, const char* source,
                                                  kedge_predictor** predictor);
KEDGE_API kedge_status kedge_predictor_to_bytes(const kedge_predictor* predictor, kedge_text** bytes);
/* What `kedge info --json` says of it. */
KEDGE_API kedge_status kedge_predictor_info(const kedge_predictor* predictor, kedge_text** info);
KEDGE_API size_t kedge_predictor_inputs(const kedge_predictor* predictor);
KEDGE_API size_t kedge_predictor_outputs(const kedge_predictor* predictor);
KEDGE_API size_t kedge_predictor_rows(const kedge_predictor* predictor);
/* The training table: [rows, inputs] and [rows, outputs] doubles; either may be NULL. */
KEDGE_API kedge_status kedge_predictor_training(const kedge_predictor* predictor, double* inputs, double* outputs);
KEDGE_API void kedge_predictor_free(kedge_predictor* predictor);

/* ---- Predicting ---- */

typedef struct kedge_predictions kedge_predictions;

/* Answers with all that can be said of each. `rows` is [count, inputs], in the order of the predictor's inputs.
 * Settings: "anchors": a rule instead of the model's; "anchor_rows": the training row that answers each query;
 * "support_radius", "delta_radius", "edge_factor": thresholds of verdicts; "bad_rows": "refuse" (the default) or
 * "mark", which answers rows that are not finite by NaN and a note. */
KEDGE_API kedge_status kedge_predict(const kedge_predictor* predictor, const double* rows, size_t count,
                                     const char* settings, const kedge_run* run, kedge_predictions** predictions);
/* The answers alone, into the caller's memory: `y` is [count, outputs]; `spread` is [count] or NULL. */
KEDGE_API kedge_status kedge_predict_values(const kedge_predictor* predictor, const double* rows, size_t count,
                                            const kedge_run* run, double* y, double* spread);

typedef enum kedge_number {
  KEDGE_Y = 0, /* [rows, outputs]; the others are [rows] */
  KEDGE_SPREAD = 1,
  KEDGE_SUPPORT_DISTANCE = 2,
  KEDGE_DELTA_DISTANCE = 3,
  KEDGE_DELTA_PERCENTILE = 4,
  KEDGE_EXPECTED_ERROR = 5,
  KEDGE_EXPECTED_ERROR_BEYOND = 6
} kedge_number;

typedef enum kedge_count {
  KEDGE_ANCHOR = 0,
  KEDGE_ANALOG_QUERY = 1,
  KEDGE_ANALOG_ANCHOR = 2,
  KEDGE_ADMISSIBLE_ANCHORS = 3
} kedge_count;

typedef enum kedge_verdict {
  KEDGE_INTERPOLATION = 0,
  KEDGE_REACHABLE = 1,
  KEDGE_EDGE = 2,
  KEDGE_UNREACHABLE = 3,
  KEDGE_UNDETERMINED = 4
} kedge_verdict;

KEDGE_API size_t kedge_predictions_rows(const kedge_predictions* predictions);
/* Arrays live as long as the predictions. NaN and -1 stand for what is not known; NULL for an unknown name. */
KEDGE_API const double* kedge_predictions_numbers(const kedge_predictions* predictions, int32_t which);
KEDGE_API const int64_t* kedge_predictions_counts(const kedge_predictions* predictions, int32_t which);
/* Values of kedge_verdict. */
KEDGE_API const uint8_t* kedge_predictions_verdicts(const kedge_predictions* predictions);
/* Why a query is no interpolation, "speed +12.5; load -3"; which answers lie beyond all training outputs; why a row has
 * no answer. "" for none. */
KEDGE_API const char* kedge_predictions_outside(const kedge_predictions* predictions, size_t row);
KEDGE_API const char* kedge_predictions_outputs_outside(const kedge_predictions* predictions, size_t row);
KEDGE_API const char* kedge_predictions_note(const kedge_predictions* predictions, size_t row);
KEDGE_API void kedge_predictions_free(kedge_predictions* predictions);

/* Where queries lie against the training table, as `kedge diagnose --json` says it, and a map of both. The queries'
 * columns are matched by name; with the outputs true errors are told too. Settings as for kedge_predict. */
KEDGE_API kedge_status kedge_diagnose(const kedge_predictor* predictor, const kedge_table* queries,
                                      const char* settings, const kedge_run* run, kedge_text** report);

/* ---- Demonstrations and policies ---- */

typedef struct kedge_demonstrations kedge_demonstrations;
/* `columns`: {"observations": [...], "actions": [...], "goals": [...]}; goals are some of the observations. */
KEDGE_API kedge_status kedge_demonstrations_new(const char* columns, const char* source,
                                                kedge_demonstrations** demonstrations);
/* An HDF5 file with the layout of robomimic or Minari. Settings: "goal_columns", "obs_keys", "horizon". */
KEDGE_API kedge_status kedge_demonstrations_read(const char* path, const char* settings,
                                                 kedge_demonstrations** demonstrations);
/* Copies an episode: [steps, observations] and [steps, actions]. */
KEDGE_API kedge_status kedge_demonstrations_add(kedge_demonstrations* demonstrations, const double* observations,
                                                const double* actions, size_t steps);
KEDGE_API size_t kedge_demonstrations_size(const kedge_demonstrations* demonstrations);
KEDGE_API void kedge_demonstrations_free(kedge_demonstrations* demonstrations);

typedef struct kedge_policy kedge_policy;
/* Learns a policy as `kedge imitate` does. `report` may be NULL. */
KEDGE_API kedge_status kedge_imitate(const kedge_demonstrations* demonstrations, const char* settings,
                                     const kedge_run* run, kedge_policy** policy, kedge_text** report);
KEDGE_API kedge_status kedge_policy_load(const char* path, kedge_policy** policy);
KEDGE_API kedge_status kedge_policy_save(const kedge_policy* policy, const char* path);
KEDGE_API kedge_status kedge_policy_from_bytes(const void* bytes, size_t size, const char* source,
                                               kedge_policy** policy);
KEDGE_API kedge_status kedge_policy_to_bytes(const kedge_policy* policy, kedge_text** bytes);
/* Columns, options, episode steps and demonstrations as a JSON object. */
KEDGE_API kedge_status kedge_policy_info(const kedge_policy* policy, kedge_text** info);
/* What can be said of goals before they are tried, [count, goals]: a JSON list with anchors, distances, expected error
 * and verdict of each. */
KEDGE_API kedge_status kedge_policy_judge(const kedge_policy* policy, const double* goals, size_t count,
                                          kedge_text** answers);
KEDGE_API void kedge_policy_free(kedge_policy* policy);

/* Acts by a policy, which must outlive it: begin once an episode, act once a time step. */
typedef struct kedge_controller kedge_controller;
KEDGE_API kedge_status kedge_controller_new(const kedge_policy* policy, kedge_controller** controller);
KEDGE_API kedge_status kedge_controller_begin(kedge_controller* controller, const double* goal);
KEDGE_API kedge_status kedge_controller_act(kedge_controller* controller, const double* observation, double* action);
KEDGE_API void kedge_controller_free(kedge_controller* controller);

#ifdef __cplusplus
}
#endif

#endif

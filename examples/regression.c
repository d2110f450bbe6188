/* Fits the head of a pump by flow and speed, and predicts it at speeds beyond those of the test bench.
 *
 * Usage: regression_c pump.csv pump.kedge
 */

#include <kedge/kedge_c.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUERIES = 4, INPUTS = 2 };

static const char* const verdicts[] = {"interpolation", "reachable", "edge", "unreachable", "undetermined"};

/* Every status is checked; kedge_error() is one line for people. */
static void require(kedge_status status) {
  if (status == KEDGE_OK) return;
  fprintf(stderr, "%s\n", kedge_error());
  exit(1);
}

static kedge_predictor* fit(const char* path) {
  kedge_table* table;
  kedge_predictor* predictor;
  require(kedge_table_read(path, &table));
  require(kedge_table_assign(table, "head", KEDGE_OUTPUT));
  require(kedge_fit(table, NULL, "{\"model\": \"bilinear-ridge\", \"seed\": 1}", NULL, 0, NULL, &predictor, NULL));
  kedge_table_free(table);
  return predictor;
}

static void print_answers(const kedge_predictor* predictor, const double* queries, size_t count) {
  kedge_predictions* answers;
  const double *head, *error;
  const uint8_t* verdict;
  size_t row;
  require(kedge_predict(predictor, queries, count, NULL, NULL, &answers));
  head = kedge_predictions_numbers(answers, KEDGE_Y);
  error = kedge_predictions_numbers(answers, KEDGE_EXPECTED_ERROR);
  verdict = kedge_predictions_verdicts(answers);
  printf("%6s %6s %8s %15s  %-14s %s\n", "flow", "speed", "head", "expected error", "verdict", "outside");
  for (row = 0; row < count; ++row)
    printf("%6.1f %6.0f %8.2f %15.2f  %-14s %s\n", queries[INPUTS * row], queries[INPUTS * row + 1],
           head[row], error[row], verdicts[verdict[row]], kedge_predictions_outside(answers, row));
  kedge_predictions_free(answers);
}

/* The answers of a file that was saved are those of the predictor, bit for bit. */
static int answers_agree(const kedge_predictor* one, const kedge_predictor* other, const double* queries) {
  double a[QUERIES], b[QUERIES];
  size_t row;
  require(kedge_predict_values(one, queries, QUERIES, NULL, a, NULL));
  require(kedge_predict_values(other, queries, QUERIES, NULL, b, NULL));
  for (row = 0; row < QUERIES; ++row)
    if (a[row] != b[row]) return 0;
  return 1;
}

int main(int count, char** arguments) {
  static const double queries[QUERIES * INPUTS] = {20, 1500, 20, 2100, 20, 2500, 20, 9000};
  kedge_predictor *fitted, *loaded;
  int agree;
  if (count != 3) {
    fprintf(stderr, "needs a table and the model file to write; usage: regression_c pump.csv pump.kedge\n");
    return 1;
  }
  fitted = fit(arguments[1]);
  printf("kedge %s, fitted to %lu rows\n", kedge_version(), (unsigned long)kedge_predictor_rows(fitted));
  print_answers(fitted, queries, QUERIES);
  require(kedge_predictor_save(fitted, arguments[2]));
  require(kedge_predictor_load(arguments[2], &loaded));
  agree = answers_agree(fitted, loaded, queries);
  printf("%s answers %s\n", arguments[2], agree ? "alike" : "otherwise");
  kedge_predictor_free(loaded);
  kedge_predictor_free(fitted);
  return agree ? 0 : 1;
}

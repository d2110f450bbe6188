#pragma once

// Handles of the C ABI that free themselves, and the small table that its tests share.

#include <memory>
#include <string>

#include "kedge/kedge_c.h"
#include "tests/predictor/fitted.h"

namespace kedge {

template <class T, void (*free)(T*)>
struct Freed {
  void operator()(T* handle) const { free(handle); }
};
template <class T, void (*free)(T*)>
using Held = std::unique_ptr<T, Freed<T, free>>;

using HeldText = Held<kedge_text, kedge_text_free>;
using HeldTable = Held<kedge_table, kedge_table_free>;
using HeldPredictor = Held<kedge_predictor, kedge_predictor_free>;
using HeldPredictions = Held<kedge_predictions, kedge_predictions_free>;
using HeldDemonstrations = Held<kedge_demonstrations, kedge_demonstrations_free>;
using HeldPolicy = Held<kedge_policy, kedge_policy_free>;
using HeldController = Held<kedge_controller, kedge_controller_free>;

inline std::string bytes_of(kedge_text* text) {
  const HeldText held(text);
  return {kedge_text_data(text), kedge_text_size(text)};
}

/// The same table through the ABI, column by column.
inline HeldTable table_of(const Table& from) {
  kedge_table* table = nullptr;
  EXPECT_EQ(kedge_table_new(from.source().c_str(), &table), KEDGE_OK);
  for (const Column& column : from.columns())
    EXPECT_EQ(kedge_table_add(table, column.name.c_str(), static_cast<int32_t>(column.role),
                              column.values.data(), column.values.size(), 1),
              KEDGE_OK)
        << kedge_error();
  return HeldTable(table);
}

/// Trains in a blink; pairs rows of the same label, as the table has one.
inline const char* const quick_settings =
    R"({"layers": 2, "width": 8, "embedding": 3, "fourier": "off", "steps": 40, "batch": 32, "replicas": 1,
        "anchors": "many=4", "pool": 200, "space": "angle=degrees,size=log", "calibration": "none"})";

inline HeldPredictor quick_fit(const char* settings = quick_settings) {
  kedge_predictor* predictor = nullptr;
  EXPECT_EQ(kedge_fit(table_of(training_table()).get(), nullptr, settings, nullptr, 0, nullptr, &predictor,
                      nullptr),
            KEDGE_OK)
      << kedge_error();
  return HeldPredictor(predictor);
}

inline std::string file_of(const kedge_predictor* predictor) {
  kedge_text* bytes = nullptr;
  EXPECT_EQ(kedge_predictor_to_bytes(predictor, &bytes), KEDGE_OK);
  return bytes_of(bytes);
}

}  // namespace kedge

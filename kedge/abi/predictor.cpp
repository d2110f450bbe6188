#include "kedge/predictor/predictor.h"

#include <algorithm>

#include "kedge/abi/guard.h"
#include "kedge/abi/handles.h"
#include "kedge/predictor/info.h"

using namespace kedge;

kedge_status kedge_predictor_load(const char* path, kedge_predictor** predictor) {
  return guarded(
      [&] {
        kedge_predictor*& handle = cleared(predictor, "predictor");
        handle = new kedge_predictor{Predictor::load(&required(path, "path"))};
      },
      KEDGE_DAMAGED);
}

kedge_status kedge_predictor_save(const kedge_predictor* predictor, const char* path) {
  return guarded([&] { required(predictor, "predictor").predictor.save(&required(path, "path")); },
                 KEDGE_DAMAGED);
}

kedge_status kedge_predictor_from_bytes(const void* bytes, size_t size, const char* source,
                                        kedge_predictor** predictor) {
  return guarded(
      [&] {
        kedge_predictor*& handle = cleared(predictor, "predictor");
        const std::string_view view(&required(static_cast<const char*>(bytes), "bytes"), size);
        handle = new kedge_predictor{Predictor::from_bytes(view, text_or(source, "bytes"))};
      },
      KEDGE_DAMAGED);
}

kedge_status kedge_predictor_to_bytes(const kedge_predictor* predictor, kedge_text** bytes) {
  return guarded([&] {
    cleared(bytes, "bytes");
    give(bytes, required(predictor, "predictor").predictor.to_bytes());
  });
}

kedge_status kedge_predictor_info(const kedge_predictor* predictor, kedge_text** info) {
  return guarded([&] {
    cleared(info, "info");
    give(info, predictor_json(required(predictor, "predictor").predictor));
  });
}

size_t kedge_predictor_inputs(const kedge_predictor* predictor) {
  return predictor ? predictor->predictor.inputs().size() : 0;
}
size_t kedge_predictor_outputs(const kedge_predictor* predictor) {
  return predictor ? predictor->predictor.outputs().size() : 0;
}
size_t kedge_predictor_rows(const kedge_predictor* predictor) {
  return predictor ? predictor->predictor.training_rows() : 0;
}

kedge_status kedge_predictor_training(const kedge_predictor* predictor, double* inputs, double* outputs) {
  return guarded([&] {
    const Predictor& it = required(predictor, "predictor").predictor;
    if (inputs) {
      const Matrix<double>& points = it.training_points();
      const MatrixView<double> rows(inputs, points.rows(), it.inputs().size());
      for (size_t r = 0; r < points.rows(); ++r) it.encoder().space().to_row(points.row(r), rows.row(r));
    }
    if (outputs) std::ranges::copy(it.training_outputs().values(), outputs);
  });
}

void kedge_predictor_free(kedge_predictor* predictor) { delete predictor; }

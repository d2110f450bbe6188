#pragma once

// The job of the SE(3)-equivariant baseline: a tensor field network learns the grasp points of a domain from
// key points. Its result reads as that of a fit job.

#include <string>

#include "kedge/jobs/job.h"
#include "kedge/jobs/tensor_field/tensor_field.h"

namespace kedge {

Job tensor_field_job(const std::string& domain, size_t train_rows, const TensorFieldOptions& options);

}  // namespace kedge

#pragma once

// Columns that an intake adds, renames or leaves out, in the options of a fit that name columns.

#include <string>
#include <vector>

#include "kedge/predictor/options.h"
#include "kedge/table/intake.h"
#include "kedge/table/table.h"

namespace kedge {

/// Angles of cycles become angles of the space, columns of a category share a scale, and a context that names
/// a raw column names what it becomes.
void add_columns(const Intake& intake, FitOptions& options);

/// Leaves out inputs that never change, in the table and in the options, and says which. A group of columns,
/// as of a rotation, goes as a whole or stays. Throws Error when no input changes.
std::vector<std::string> drop_constants(Table& table, FitOptions& options);

/// "district (5 words), date (dates; week, year)"; empty where all columns are plain numbers.
std::string summary(const Intake& intake);

}  // namespace kedge

#include "kedge/table/table.h"

#include "kedge/abi/guard.h"
#include "kedge/abi/handles.h"
#include "kedge/core/format.h"
#include "kedge/table/csv.h"

namespace kedge {
namespace {

Role role_of(int32_t role) {
  switch (role) {
    case KEDGE_INPUT:
      return Role::input;
    case KEDGE_OUTPUT:
      return Role::output;
    case KEDGE_LABEL:
      return Role::label;
    case KEDGE_EPISODE:
      return Role::episode;
    case KEDGE_TIME:
      return Role::time;
    case KEDGE_IGNORED:
      return Role::ignored;
    case KEDGE_WEIGHT:
      return Role::weight;
  }
  throw Error("table", fmt::format("needs a role of kedge_role; found {}; take one of these", role));
}

}  // namespace
}  // namespace kedge

using namespace kedge;

kedge_status kedge_table_new(const char* source, kedge_table** table) {
  return guarded([&] {
    kedge_table*& handle = cleared(table, "table");
    handle = new kedge_table{Table(text_or(source, "table"))};
  });
}

kedge_status kedge_table_read(const char* path, kedge_table** table) {
  return guarded(
      [&] {
        kedge_table*& handle = cleared(table, "table");
        handle = new kedge_table{read_csv(&required(path, "path"))};
      },
      KEDGE_DAMAGED);
}

kedge_status kedge_table_add(kedge_table* table, const char* name, int32_t role, const double* values,
                             size_t rows, ptrdiff_t stride) {
  return guarded([&] {
    Column column{.name = &required(name, "name"), .role = role_of(role), .values = {}, .words = {}};
    if (rows > 0) required(values, "values");
    column.values.resize(rows);
    for (size_t r = 0; r < rows; ++r) column.values[r] = values[static_cast<ptrdiff_t>(r) * stride];
    required(table, "table").table.add(std::move(column));
  });
}

kedge_status kedge_table_assign(kedge_table* table, const char* name, int32_t role) {
  return guarded([&] { required(table, "table").table.assign(role_of(role), {&required(name, "name")}); });
}

size_t kedge_table_rows(const kedge_table* table) { return table ? table->table.rows() : 0; }
void kedge_table_free(kedge_table* table) { delete table; }

// Datasets of an Hdf5File, as they are read. A damaged file may declare anything, and libhdf5 believes it;
// what would make it allocate or write beyond measure is looked at first.

#include <hdf5.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <new>
#include <system_error>

#include "kedge/core/format.h"
#include "kedge/demonstrations/hdf5_file.h"

namespace kedge {
namespace {

/// Above so many numbers a file must have stored a plausible part of them.
constexpr size_t always_allowed = size_t{1} << 20;
/// Deflate makes nothing smaller than about a thousandth.
constexpr size_t most_compression = 2000;
constexpr size_t most_numbers = std::numeric_limits<size_t>::max() / sizeof(double);

struct Extents {
  std::vector<hsize_t> now, most;
};

Extents extents_of(const Hdf5Object& dataset) {
  const Hdf5Id space(H5Dget_space(dataset.id()));
  const int rank = space.is_valid() ? H5Sget_simple_extent_ndims(space.get()) : -1;
  if (rank < 0) dataset.place().fail_call("its shape cannot be read: the file is damaged");
  Extents extents{std::vector<hsize_t>(static_cast<size_t>(rank)),
                  std::vector<hsize_t>(static_cast<size_t>(rank))};
  if (H5Sget_simple_extent_dims(space.get(), extents.now.data(), extents.most.data()) < 0)
    dataset.place().fail_call("its shape cannot be read: the file is damaged");
  return extents;
}

Hdf5Id properties_of(const Hdf5Object& dataset) {
  Hdf5Id properties(H5Dget_create_plist(dataset.id()));
  if (!properties.is_valid()) dataset.place().fail_call("its layout cannot be read: the file is damaged");
  return properties;
}

/// libhdf5 makes no dataset whose chunks are larger than it can grow, but reads one and writes past its
/// memory (seen in 1.10.8).
void require_possible_chunks(const Hdf5Object& dataset) {
  const Hdf5Id properties = properties_of(dataset);
  if (H5Pget_layout(properties.get()) != H5D_CHUNKED) return;
  const std::vector<hsize_t> most = extents_of(dataset).most;
  std::vector<hsize_t> chunk(most.size());
  const int rank = static_cast<int>(most.size());
  bool is_possible = H5Pget_chunk(properties.get(), rank, chunk.data()) == rank;
  for (size_t d = 0; d < most.size(); ++d)
    is_possible = is_possible && chunk[d] > 0 && (most[d] == H5S_UNLIMITED || chunk[d] <= most[d]);
  if (!is_possible) dataset.place().fail("its chunks are of no possible size: the file is damaged");
}

}  // namespace

std::vector<size_t> Hdf5Object::shape() const {
  const std::vector<hsize_t> extents = extents_of(*this).now;
  return {extents.begin(), extents.end()};
}

size_t Hdf5Object::count() const {
  size_t count = 1;
  for (const size_t extent : shape()) {
    if (extent == 0) return 0;
    if (count > most_numbers / extent)
      place_.fail("says that it holds countless numbers: the file is damaged");
    count *= extent;
  }
  if (count <= always_allowed) return count;
  const Hdf5Id properties = properties_of(*this), type(H5Dget_type(id()));
  const size_t ratio = H5Pget_nfilters(properties.get()) > 0 ? most_compression : 1;
  std::error_code unknown;
  const uintmax_t file_size = std::filesystem::file_size(place_.file, unknown);
  const uintmax_t stored = std::min<uintmax_t>(H5Dget_storage_size(id()), file_size);
  if (count / ratio > stored / std::max<size_t>(H5Tget_size(type.get()), 1))
    place_.fail(fmt::format("says that it holds {} numbers; stored are {} bytes: the file is damaged", count,
                            stored));
  return count;
}

bool Hdf5Object::holds_numbers() const {
  const Hdf5Id type(H5Dget_type(id()));
  if (!type.is_valid()) place_.fail_call("its type cannot be read: the file is damaged");
  const H5T_class_t kind = H5Tget_class(type.get());
  return kind == H5T_INTEGER || kind == H5T_FLOAT;
}

std::vector<double> Hdf5Object::numbers() const {
  if (!holds_numbers()) place_.fail("needs numbers; found text or another kind of value");
  const size_t size = count();
  require_possible_chunks(*this);
  std::vector<double> values;
  try {
    values.resize(size);
  } catch (const std::bad_alloc&) {
    place_.fail(fmt::format("needs memory for {} numbers; there is not enough", size));
  }
  if (size > 0 && H5Dread(id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    place_.fail_call(
        "its numbers cannot be read: the file is damaged, or compressed by a filter that is not here");
  return values;
}

}  // namespace kedge

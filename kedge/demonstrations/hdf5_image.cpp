#include "kedge/demonstrations/hdf5_image.h"

#include <hdf5.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "kedge/core/format.h"
#include "kedge/core/shown.h"

namespace kedge {
namespace {

/// Properties of what is made; times would make equal content differ.
Hdf5Id timeless(const Hdf5Place& place, hid_t kind) {
  Hdf5Id properties(H5Pcreate(kind));
  if (!properties.is_valid() || H5Pset_obj_track_times(properties.get(), false) < 0)
    place.fail_call("cannot be made");
  return properties;
}

Hdf5Object add_dataset(const Hdf5Object& parent, const std::string& name, const std::vector<hsize_t>& shape,
                       const double* values) {
  const Hdf5Place place = parent.place().below(name);
  const Hdf5Id properties = timeless(place, H5P_DATASET_CREATE);
  const Hdf5Id space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  Hdf5Id made(space.is_valid() ? H5Dcreate2(parent.id(), name.c_str(), H5T_IEEE_F64LE, space.get(),
                                            H5P_DEFAULT, properties.get(), H5P_DEFAULT)
                               : -1);
  if (!made.is_valid() || H5Dwrite(made.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    place.fail_call("cannot be made");
  return {std::move(made), place};
}

void set_attribute(const Hdf5Object& object, const std::string& name, const Hdf5Id& space, hid_t stored,
                   hid_t given, const void* values) {
  const Hdf5Id made(space.is_valid()
                        ? H5Acreate2(object.id(), name.c_str(), stored, space.get(), H5P_DEFAULT, H5P_DEFAULT)
                        : -1);
  if (!made.is_valid() || H5Awrite(made.get(), given, values) < 0)
    object.place().fail_call(fmt::format("its attribute {} cannot be made", shown(name)));
}

/// Text in UTF-8 of that many bytes, or H5T_VARIABLE.
Hdf5Id text_type(const Hdf5Place& place, size_t width) {
  Hdf5Id type(H5Tcopy(H5T_C_S1));
  if (!type.is_valid() || H5Tset_size(type.get(), width) < 0 ||
      H5Tset_strpad(type.get(), width == H5T_VARIABLE ? H5T_STR_NULLTERM : H5T_STR_NULLPAD) < 0 ||
      H5Tset_cset(type.get(), H5T_CSET_UTF8) < 0)
    place.fail_call("text cannot be stored");
  return type;
}

/// Its text ends at a NUL, and so would be read back cut.
void require_no_nul(const Hdf5Object& object, const std::string& attribute, const std::string& text) {
  if (text.find('\0') != std::string::npos)
    object.place().fail(
        fmt::format("its attribute {} needs text without NUL; found {}", shown(attribute), shown(text)));
}

}  // namespace

struct Hdf5Image::Memory {
  void* bytes = nullptr;

  Memory() = default;
  Memory(const Memory&) = delete;
  ~Memory() { std::free(bytes); }
};

// H5Fget_file_image would be less, but changes a byte of the superblock and not its checksum (seen
// in 1.10.8). So the memory that the closed file leaves behind is kept.
struct Hdf5Image::Calls {
  static void* allocate(size_t size, H5FD_file_image_op_t, void*) { return std::malloc(size); }
  static void* copy(void* to, const void* from, size_t size, H5FD_file_image_op_t, void*) {
    return std::memcpy(to, from, size);
  }
  static void* resize(void* bytes, size_t size, H5FD_file_image_op_t, void*) {
    return std::realloc(bytes, size);
  }
  static herr_t keep(void* bytes, H5FD_file_image_op_t when, void* memory) {
    if (when == H5FD_FILE_IMAGE_OP_FILE_CLOSE)
      static_cast<Memory*>(memory)->bytes = bytes;
    else
      std::free(bytes);
    return 0;
  }
  static void* share(void* memory) { return memory; }
  static herr_t leave(void*) { return 0; }
};

Hdf5Image::Hdf5Image(const std::string& path) : place_{path, ""}, memory_(std::make_shared<Memory>()) {
  constexpr size_t growth = size_t{1} << 20;
  const Hdf5Id creation = timeless(place_, H5P_FILE_CREATE);
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS));
  H5FD_file_image_callbacks_t calls{Calls::allocate, Calls::copy,  Calls::resize, Calls::keep,
                                    Calls::share,    Calls::leave, memory_.get()};
  // Version 1.8 has checksums of all but the numbers themselves, and attributes larger than 64 KiB.
  if (!access.is_valid() || H5Pset_fapl_core(access.get(), growth, false) < 0 ||
      H5Pset_file_image_callbacks(access.get(), &calls) < 0 ||
      H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG) < 0 ||
      H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18) < 0)
    place_.fail_call("cannot be made");
  // Nothing is written to this name. It must differ from those of files that the program has open.
  const std::string name = path + ".kedge-in-memory";
  id_ = Hdf5Id(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()));
  if (!id_.is_valid()) place_.fail_call("cannot be made");
}

Hdf5Object Hdf5Image::root() const {
  Hdf5Id root(H5Gopen2(id_.get(), "/", H5P_DEFAULT));
  if (!root.is_valid()) place_.fail_call("cannot be made");
  return {std::move(root), place_};
}

std::string Hdf5Image::finish() {
  const ssize_t size =
      H5Fflush(id_.get(), H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(id_.get(), nullptr, 0);
  if (size < 0) place_.fail_call("cannot be made");
  id_ = Hdf5Id();
  if (memory_->bytes == nullptr) place_.fail("cannot be made; libhdf5 left no content");
  return {static_cast<const char*>(memory_->bytes), static_cast<size_t>(size)};
}

Hdf5Object add_group(const Hdf5Object& parent, const std::string& name) {
  const Hdf5Place place = parent.place().below(name);
  const Hdf5Id properties = timeless(place, H5P_GROUP_CREATE);
  Hdf5Id made(H5Gcreate2(parent.id(), name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT));
  if (!made.is_valid()) place.fail_call("cannot be made");
  return {std::move(made), place};
}

Hdf5Object add_numbers(const Hdf5Object& parent, const std::string& name, MatrixView<const double> values) {
  return add_dataset(parent, name, {values.rows(), values.cols()}, values.data());
}

Hdf5Object add_numbers(const Hdf5Object& parent, const std::string& name, std::span<const double> values) {
  return add_dataset(parent, name, {values.size()}, values.data());
}

void set_attribute(const Hdf5Object& object, const std::string& name, const std::string& text) {
  require_no_nul(object, name, text);
  const Hdf5Id type = text_type(object.place(), std::max<size_t>(text.size(), 1));
  set_attribute(object, name, Hdf5Id(H5Screate(H5S_SCALAR)), type.get(), type.get(), text.c_str());
}

void set_attribute(const Hdf5Object& object, const std::string& name, const std::vector<std::string>& texts) {
  size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, text.size());
  std::string bytes(width * texts.size(), '\0');
  for (size_t i = 0; i < texts.size(); ++i) {
    require_no_nul(object, name, texts[i]);
    bytes.replace(i * width, texts[i].size(), texts[i]);
  }
  const Hdf5Id type = text_type(object.place(), width);
  const hsize_t count = texts.size();
  set_attribute(object, name, Hdf5Id(H5Screate_simple(1, &count, nullptr)), type.get(), type.get(),
                bytes.data());
}

void set_free_text(const Hdf5Object& object, const std::string& name, const std::string& text) {
  require_no_nul(object, name, text);
  const Hdf5Id type = text_type(object.place(), H5T_VARIABLE);
  const char* pointer = text.c_str();
  set_attribute(object, name, Hdf5Id(H5Screate(H5S_SCALAR)), type.get(), type.get(), &pointer);
}

void set_attribute(const Hdf5Object& object, const std::string& name, double number) {
  set_attribute(object, name, Hdf5Id(H5Screate(H5S_SCALAR)), H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &number);
}

void set_attribute(const Hdf5Object& object, const std::string& name, uint64_t number) {
  set_attribute(object, name, Hdf5Id(H5Screate(H5S_SCALAR)), H5T_STD_U64LE, H5T_NATIVE_UINT64, &number);
}

}  // namespace kedge

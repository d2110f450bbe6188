// Attributes of an Hdf5Object, as they are read.

#include <hdf5.h>

#include "kedge/core/format.h"
#include "kedge/core/shown.h"
#include "kedge/demonstrations/hdf5_file.h"

namespace kedge {
namespace {

/// Attributes hold names and facts. One that says it is larger is damaged.
constexpr size_t most_bytes = size_t{64} << 20;

/// How many values an attribute holds, from 0 on; negative when that cannot be read.
hssize_t count_of(const Hdf5Id& attribute) {
  const Hdf5Id space(H5Aget_space(attribute.get()));
  return space.is_valid() ? H5Sget_simple_extent_npoints(space.get()) : -1;
}

}  // namespace

std::optional<std::vector<std::string>> Hdf5Object::texts(const std::string& attribute) const {
  const Hdf5Id open = open_attribute(attribute);
  if (!open.is_valid()) return {};
  const Hdf5Id type(H5Aget_type(open.get()));
  const hssize_t count = count_of(open);
  if (!type.is_valid() || count < 0)
    place_.fail_call(fmt::format("its attribute {} cannot be read: the file is damaged", shown(attribute)));
  if (H5Tget_class(type.get()) != H5T_STRING)
    place_.fail(fmt::format("its attribute {} needs text; found another kind of value", shown(attribute)));
  // libhdf5 writes past its memory when it reads text of free length from a damaged file (seen in 1.10.8).
  if (H5Tis_variable_str(type.get()) != 0)
    place_.fail(
        fmt::format("its attribute {} needs text of fixed length; found text of free length; in Python, "
                    "write numpy.array(texts, dtype='S')",
                    shown(attribute)));
  const size_t width = H5Tget_size(type.get());
  if (width == 0 || static_cast<size_t>(count) > most_bytes / width)
    place_.fail(
        fmt::format("its attribute {} is of no possible size: the file is damaged", shown(attribute)));
  std::string bytes(width * static_cast<size_t>(count), '\0');
  if (count > 0 && H5Aread(open.get(), type.get(), bytes.data()) < 0)
    place_.fail_call(fmt::format("its attribute {} cannot be read: the file is damaged", shown(attribute)));
  std::vector<std::string> texts;
  for (size_t at = 0; at < bytes.size(); at += width) {
    const std::string text = bytes.substr(at, width);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

void Hdf5Object::read_number(const std::string& attribute, const Hdf5Id& open, int64_t type,
                             void* value) const {
  const Hdf5Id stored(H5Aget_type(open.get()));
  const H5T_class_t kind = stored.is_valid() ? H5Tget_class(stored.get()) : H5T_NO_CLASS;
  if (count_of(open) != 1 || (kind != H5T_INTEGER && kind != H5T_FLOAT))
    place_.fail(
        fmt::format("its attribute {} needs one number; found another kind of value", shown(attribute)));
  if (H5Aread(open.get(), type, value) < 0)
    place_.fail_call(fmt::format("its attribute {} cannot be read: the file is damaged", shown(attribute)));
}

std::optional<double> Hdf5Object::number(const std::string& attribute) const {
  const Hdf5Id open = open_attribute(attribute);
  if (!open.is_valid()) return {};
  double value = 0;
  read_number(attribute, open, H5T_NATIVE_DOUBLE, &value);
  return value;
}

std::optional<uint64_t> Hdf5Object::whole_number(const std::string& attribute) const {
  const Hdf5Id open = open_attribute(attribute);
  if (!open.is_valid()) return {};
  uint64_t value = 0;
  read_number(attribute, open, H5T_NATIVE_UINT64, &value);
  return value;
}

}  // namespace kedge

#pragma once

// Hdf5Builder: HDF5 files as other programs write them, made with libhdf5's own calls.

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

namespace kedge {

/// What h5py makes by default: the oldest format that can hold it, groups on the way made as needed.
class Hdf5Builder {
 public:
  explicit Hdf5Builder(const std::string& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  Hdf5Builder(const Hdf5Builder&) = delete;
  ~Hdf5Builder() { EXPECT_GE(H5Fclose(file_), 0); }

  void group(const std::string& name) {
    const hid_t way = links();
    EXPECT_GE(H5Gclose(H5Gcreate2(file_, name.c_str(), way, H5P_DEFAULT, H5P_DEFAULT)), 0);
    H5Pclose(way);
  }

  template <class T>
  void dataset(const std::string& name, const std::vector<hsize_t>& shape, const std::vector<T>& values) {
    add(name, shape, type_of(T{}), type_of(T{}), values.data(), H5P_DEFAULT);
  }

  /// 0, 1, 2, ... of the shape.
  void counting(const std::string& name, const std::vector<hsize_t>& shape) {
    std::vector<double> values(
        std::accumulate(shape.begin(), shape.end(), hsize_t{1}, [](hsize_t a, hsize_t b) { return a * b; }));
    std::iota(values.begin(), values.end(), 0.0);
    dataset(name, shape, values);
  }

  /// In chunks of two rows, compressed.
  void compressed(const std::string& name, const std::vector<hsize_t>& shape,
                  const std::vector<double>& values) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    std::vector<hsize_t> chunk = shape;
    chunk[0] = 2;
    H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
    H5Pset_deflate(properties, 4);
    add(name, shape, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, values.data(), properties);
    H5Pclose(properties);
  }

  void texts(const std::string& name, const std::vector<const char*>& values) {
    const hid_t type = text_type();
    add(name, {values.size()}, type, type, values.data(), H5P_DEFAULT);
    H5Tclose(type);
  }

  /// Texts of a fixed width of 16.
  void text_list(const std::string& object, const std::string& name, const std::vector<std::string>& values) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 16);
    std::string bytes;
    for (std::string value : values) bytes += (value.resize(16), value);
    const hsize_t count = values.size();
    add_attribute(object, name, H5Screate_simple(1, &count, nullptr), type, bytes.data());
    H5Tclose(type);
  }

  void free_text(const std::string& object, const std::string& name, const char* value) {
    const hid_t type = text_type();
    add_attribute(object, name, H5Screate(H5S_SCALAR), type, &value);
    H5Tclose(type);
  }

  /// One text that fills a fixed width.
  void attribute(const std::string& object, const std::string& name, const std::string& value) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, value.size());
    add_attribute(object, name, H5Screate(H5S_SCALAR), type, value.data());
    H5Tclose(type);
  }

  void attribute(const std::string& object, const std::string& name, int64_t value) {
    add_attribute(object, name, H5Screate(H5S_SCALAR), H5T_NATIVE_INT64, &value);
  }

  hid_t file() const { return file_; }

 private:
  static hid_t type_of(double) { return H5T_NATIVE_DOUBLE; }
  static hid_t type_of(float) { return H5T_NATIVE_FLOAT; }
  static hid_t type_of(int32_t) { return H5T_NATIVE_INT32; }
  static hid_t type_of(int64_t) { return H5T_NATIVE_INT64; }
  static hid_t type_of(uint8_t) { return H5T_NATIVE_UINT8; }

  static hid_t text_type() {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    return type;
  }

  static hid_t links() {
    const hid_t way = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(way, 1);
    return way;
  }

  void add(const std::string& name, const std::vector<hsize_t>& shape, hid_t stored, hid_t given,
           const void* values, hid_t properties) {
    const hid_t way = links();
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t made = H5Dcreate2(file_, name.c_str(), stored, space, way, properties, H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(made, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0) << name;
    H5Dclose(made);
    H5Sclose(space);
    H5Pclose(way);
  }

  void add_attribute(const std::string& object, const std::string& name, hid_t space, hid_t type,
                     const void* values) {
    const hid_t on = H5Oopen(file_, object.c_str(), H5P_DEFAULT);
    const hid_t made = H5Acreate2(on, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Awrite(made, type, values), 0) << object << " " << name;
    H5Aclose(made);
    H5Sclose(space);
    H5Oclose(on);
  }

  hid_t file_;
};

/// Files of a test, in a folder of their own that goes with it.
class Hdf5Files : public testing::Test {
 protected:
  Hdf5Files() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kedge-hdf5-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Hdf5Files() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "demos.hdf5") const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

}  // namespace kedge

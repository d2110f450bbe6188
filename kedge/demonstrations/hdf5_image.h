#pragma once

// Hdf5Image: an HDF5 file that is built in memory. Law: the same calls in the same order give the same bytes.
// The laws of Hdf5File hold too.

#include <span>

#include "kedge/core/matrix.h"
#include "kedge/demonstrations/hdf5_file.h"

namespace kedge {

class Hdf5Image {
 public:
  /// `path` names the file in errors.
  explicit Hdf5Image(const std::string& path);

  Hdf5Object root() const;
  /// Closes the image and gives the whole file.
  std::string finish();

 private:
  struct Memory;  // what libhdf5 writes to
  struct Calls;   // what it calls to have it

  Hdf5Turn turn_;
  Hdf5Place place_;
  std::shared_ptr<Memory> memory_;  // outlives the file
  Hdf5Id id_;
};

Hdf5Object add_group(const Hdf5Object& parent, const std::string& name);
/// A dataset [rows, columns].
Hdf5Object add_numbers(const Hdf5Object& parent, const std::string& name, MatrixView<const double> values);
/// A dataset [values].
Hdf5Object add_numbers(const Hdf5Object& parent, const std::string& name, std::span<const double> values);

/// Of fixed length, as long as the longest.
void set_attribute(const Hdf5Object& object, const std::string& name, const std::string& text);
void set_attribute(const Hdf5Object& object, const std::string& name, const std::vector<std::string>& texts);
/// Of free length, which is what Python reads as str; Hdf5Object::texts does not read it.
void set_free_text(const Hdf5Object& object, const std::string& name, const std::string& text);
void set_attribute(const Hdf5Object& object, const std::string& name, double number);
void set_attribute(const Hdf5Object& object, const std::string& name, uint64_t number);

}  // namespace kedge

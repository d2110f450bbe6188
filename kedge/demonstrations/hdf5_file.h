#pragma once

// Hdf5File and Hdf5Object: an open HDF5 file, and a group or dataset in it, closed when they go.
//
// Laws: while an Hdf5File (or an Hdf5Image) lives, every other thread that wants one waits, so that libhdf5
// is called by one thread at a time; a thread has one at a time. libhdf5 prints nothing meanwhile, and
// afterwards reports errors as it did before. Objects do not outlive their file. Every failure is an Error
// that names file and object.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kedge {

/// An identifier of libhdf5, given back at the end.
class Hdf5Id {
 public:
  explicit Hdf5Id(int64_t id = -1) : id_(id) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    Hdf5Id(std::move(other)).swap(*this);
    return *this;
  }
  ~Hdf5Id();

  void swap(Hdf5Id& other) noexcept { std::swap(id_, other.id_); }
  int64_t get() const { return id_; }
  bool is_valid() const { return id_ >= 0; }

 private:
  int64_t id_;
};

/// The right to call libhdf5.
class Hdf5Turn {
 public:
  Hdf5Turn();
  ~Hdf5Turn();
  Hdf5Turn(const Hdf5Turn&) = delete;

 private:
  struct Report;  // how libhdf5 reported errors before

  std::unique_lock<std::mutex> lock_;
  std::unique_ptr<Report> before_;
};

/// Where an object is, for errors: "run.hdf5, data/demo_0/obs".
struct Hdf5Place {
  std::string file;
  std::string path;  ///< empty: the root

  Hdf5Place below(const std::string& name) const;
  /// Throws Error("demonstrations", "<place>: <what>", option).
  [[noreturn]] void fail(const std::string& what, const std::string& option = "") const;
  /// The same, with what libhdf5 says of the call that just failed.
  [[noreturn]] void fail_call(const std::string& what) const;
};

class Hdf5Object {
 public:
  Hdf5Object(Hdf5Id id, Hdf5Place place) : id_(std::move(id)), place_(std::move(place)) {}

  const Hdf5Place& place() const { return place_; }
  int64_t id() const { return id_.get(); }
  bool is_group() const;
  bool is_dataset() const;

  /// Of a group, by name.
  std::vector<std::string> children() const;
  bool contains(const std::string& name) const;
  Hdf5Object child(const std::string& name) const;

  /// Of a dataset.
  std::vector<size_t> shape() const;
  /// The numbers of that shape. Throws Error when they are many more than the file could hold.
  size_t count() const;
  bool holds_numbers() const;
  /// All of it, row-major. Throws Error when it does not hold numbers, and when `count` does.
  std::vector<double> numbers() const;

  /// Of attributes; nothing where there is none of that name. Throws Error on one of another kind, also on
  /// text of free length.
  std::optional<std::vector<std::string>> texts(const std::string& attribute) const;
  std::optional<double> number(const std::string& attribute) const;
  std::optional<uint64_t> whole_number(const std::string& attribute) const;

 private:
  Hdf5Id open_attribute(const std::string& name) const;
  void read_number(const std::string& attribute, const Hdf5Id& open, int64_t type, void* value) const;

  Hdf5Id id_;
  Hdf5Place place_;
};

class Hdf5File {
 public:
  /// For reading. Throws Error when there is no such file, or it is not HDF5, cut or damaged.
  explicit Hdf5File(const std::string& path);

  Hdf5Object root() const;

 private:
  Hdf5Turn turn_;
  Hdf5Place place_;
  Hdf5Id id_;
};

}  // namespace kedge

#include "kedge/demonstrations/hdf5_file.h"

#include <hdf5.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/core/shown.h"

namespace kedge {
namespace {

static_assert(sizeof(hid_t) <= sizeof(int64_t));

std::mutex& turns() {
  static std::mutex mutex;
  return mutex;
}

/// What libhdf5 says of its last failed call: the innermost of its reasons.
std::string last_reason() {
  std::string reason;
  const auto take = [](unsigned n, const H5E_error2_t* error, void* into) -> herr_t {
    if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(into) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &reason);
  return one_line(reason.empty() ? "no reason given" : reason);
}

/// After some failures libhdf5 cannot close itself, and would say so when the program ends. What is
/// registered here comes after what libhdf5 registered, and so runs before it.
void stay_quiet_at_exit() {
  static const int registered = std::atexit([] { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); });
  static_cast<void>(registered);
}

/// The format's signature stands at byte 0, or where a user block of a power of two from 512 ends.
bool has_signature(const std::string& path) {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  std::ifstream file(path, std::ios::binary);
  for (std::streamoff place = 0; file; place = place == 0 ? 512 : 2 * place) {
    std::array<char, 8> bytes{};
    file.seekg(place);
    if (file.read(bytes.data(), bytes.size()) && std::string_view(bytes.data(), bytes.size()) == signature)
      return true;
  }
  return false;
}

}  // namespace

Hdf5Id::~Hdf5Id() {
  if (id_ >= 0) H5Idec_ref(id_);
}

struct Hdf5Turn::Report {
  H5E_auto2_t function = nullptr;
  void* data = nullptr;
#ifndef H5_NO_DEPRECATED_SYMBOLS
  H5E_auto1_t old_function = nullptr;
#endif
  unsigned is_new = 1;
};

Hdf5Turn::Hdf5Turn() : lock_(turns()), before_(std::make_unique<Report>()) {
  Report& before = *before_;
#ifndef H5_NO_DEPRECATED_SYMBOLS
  // A program of the user's may have set either kind; asking for the other would print an error.
  H5Eauto_is_v2(H5E_DEFAULT, &before.is_new);
  if (before.is_new == 0) H5Eget_auto1(&before.old_function, &before.data);
#endif
  if (before.is_new != 0) H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Turn::~Hdf5Turn() {
  H5Eclear2(H5E_DEFAULT);
#ifndef H5_NO_DEPRECATED_SYMBOLS
  if (before_->is_new == 0) {
    H5Eset_auto1(before_->old_function, before_->data);
    return;
  }
#endif
  H5Eset_auto2(H5E_DEFAULT, before_->function, before_->data);
}

Hdf5Place Hdf5Place::below(const std::string& name) const {
  return {file, path.empty() ? name : path + "/" + name};
}

void Hdf5Place::fail(const std::string& what, const std::string& option) const {
  throw Error("demonstrations",
              one_line(path.empty() ? fmt::format("{}: {}", file, what)
                                    : fmt::format("{}, {}: {}", file, path, what)),
              option);
}

void Hdf5Place::fail_call(const std::string& what) const {
  stay_quiet_at_exit();
  fail(fmt::format("{}; libhdf5 says: {}", what, last_reason()));
}

bool Hdf5Object::is_group() const { return H5Iget_type(id()) == H5I_GROUP; }
bool Hdf5Object::is_dataset() const { return H5Iget_type(id()) == H5I_DATASET; }

std::vector<std::string> Hdf5Object::children() const {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* into) -> herr_t {
    try {
      static_cast<std::vector<std::string>*>(into)->emplace_back(name);
    } catch (...) {  // nothing may be thrown through libhdf5
      return -1;
    }
    return 0;
  };
  hsize_t next = 0;
  if (H5Literate(id(), H5_INDEX_NAME, H5_ITER_INC, &next, take, &names) < 0)
    place_.fail_call("the names in this group cannot be read: the file is damaged");
  return names;
}

Hdf5Object Hdf5Object::child(const std::string& name) const {
  Hdf5Id opened(H5Oopen(id(), name.c_str(), H5P_DEFAULT));
  const Hdf5Place place = place_.below(name);
  if (!opened.is_valid()) place.fail_call("cannot be opened: the file is damaged, or this is a broken link");
  return {std::move(opened), place};
}

bool Hdf5Object::contains(const std::string& name) const {
  const htri_t exists = H5Lexists(id(), name.c_str(), H5P_DEFAULT);
  if (exists < 0) place_.fail_call("the names in this group cannot be read: the file is damaged");
  return exists > 0;
}

Hdf5Id Hdf5Object::open_attribute(const std::string& name) const {
  const htri_t exists = H5Aexists(id(), name.c_str());
  if (exists == 0) return Hdf5Id();
  Hdf5Id attribute(exists > 0 ? H5Aopen(id(), name.c_str(), H5P_DEFAULT) : -1);
  if (!attribute.is_valid())
    place_.fail_call(fmt::format("its attribute {} cannot be read: the file is damaged", shown(name)));
  return attribute;
}

Hdf5File::Hdf5File(const std::string& path) : place_{path, ""} {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) place_.fail("there is no such file; check the path");
  if (!std::filesystem::is_regular_file(status)) place_.fail("needs a file; found a folder or a device");
  if (!std::ifstream(path)) place_.fail("cannot be opened; check its permissions");
  if (!has_signature(path))
    place_.fail("needs an HDF5 file; found other content; kedge fit learns from tables");
  id_ = Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!id_.is_valid()) place_.fail_call("this HDF5 file cannot be opened: it is cut or damaged, or in use");
}

Hdf5Object Hdf5File::root() const {
  Hdf5Id root(H5Gopen2(id_.get(), "/", H5P_DEFAULT));
  if (!root.is_valid()) place_.fail_call("its content cannot be opened: the file is damaged");
  return {std::move(root), place_};
}

}  // namespace kedge

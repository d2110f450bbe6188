#pragma once

// The border between C and C++: what every function of kedge_c.h does alike. Exceptions become a status and
// the calling thread's error text; handles that are null are refused.

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include "kedge/core/error.h"
#include "kedge/core/json.h"
#include "kedge/kedge_c.h"
#include "kedge/predictor/fit.h"

/// Bytes that the caller frees.
struct kedge_text {
  std::string bytes;
};

namespace kedge {

/// Keeps what kedge_error() says in this thread, and gives the status back.
kedge_status fail(kedge_status status, const std::string& text, const std::string& setting = "") noexcept;
/// A text of the library's own, where no memory is left for another.
kedge_status fail_without_memory() noexcept;

/// The loss of a training is no longer finite.
class Diverged : public Error {
 public:
  using Error::Error;
};

/// A pointer that is null: a fault of the calling program, whatever it asked for.
class NullPointer : public Error {
 public:
  explicit NullPointer(const std::string& name)
      : Error("call", name + " needs a pointer; found NULL; pass one") {}
};

/// The watch asked for a stop.
class Stopped : public Error {
 public:
  Stopped() : Error("run", "stopped before the end; nothing was made") {}
};

/// Runs `work`; `fault` is the status of an Error.
template <class Work>
kedge_status guarded(const Work& work, kedge_status fault = KEDGE_INVALID) noexcept {
  try {
    work();
    return KEDGE_OK;
  } catch (const Stopped& error) {
    return fail(KEDGE_STOPPED, error.what());
  } catch (const Diverged& error) {
    return fail(KEDGE_DIVERGED, error.what(), error.option());
  } catch (const NullPointer& error) {
    return fail(KEDGE_INVALID, error.what());
  } catch (const Error& error) {
    return fail(fault, error.what(), error.option());
  } catch (const std::bad_alloc&) {
    return fail_without_memory();
  } catch (const std::length_error&) {
    return fail_without_memory();
  } catch (const std::exception& error) {
    return fail(KEDGE_INTERNAL, error.what());
  } catch (...) {
    return fail(KEDGE_INTERNAL, "[run] a fault of kedge without a name");
  }
}

/// The handle or array itself. Throws Error when it is null; `name` is the parameter's.
template <class T>
T& required(T* pointer, const char* name) {
  if (!pointer) throw NullPointer(name);
  return *pointer;
}

/// Sets an output to null before any work, so that it is null after a failure.
template <class T>
T*& cleared(T** output, const char* name) {
  T*& handle = required(output, name);
  handle = nullptr;
  return handle;
}

inline std::string text_or(const char* text, const char* otherwise) { return text ? text : otherwise; }

/// Writes a text for the caller; a null `output` wants none.
void give(kedge_text** output, std::string text);
void give(kedge_text** output, const Json& json);

/// A run whose progress goes to the caller's watch.
class WatchedRun {
 public:
  explicit WatchedRun(const kedge_run* run, Device device = Device::cpu)
      : run_(run ? *run : kedge_run{}), device_(device) {}

  /// This must outlive it.
  RunOptions options();
  int threads() const { return run_.threads > 0 ? run_.threads : 0; }
  /// For work that reports nothing but its progress.
  ProgressFn progress();
  /// Throws Stopped once the watch has asked for a stop.
  void check() const;

  /// What `work` gives, or Stopped where it ended because of the watch.
  template <class Work>
  auto operator()(const Work& work) {
    try {
      auto result = work(options());
      check();
      return result;
    } catch (const Error&) {
      check();
      throw;
    }
  }

 private:
  bool tell(const Progress& progress);

  const kedge_run run_;
  const Device device_;
  std::atomic<bool> stopped_ = false;
  std::string phase_;  // of the last call of the watch, and when it was
  std::optional<std::chrono::steady_clock::time_point> told_;
};

}  // namespace kedge

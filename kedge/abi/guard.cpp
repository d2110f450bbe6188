#include "kedge/abi/guard.h"

#include "kedge/predictor/predictor.h"

namespace kedge {
namespace {

struct LastError {
  std::string text, setting;
  bool is_memory = false;
};

LastError& last_error() {
  thread_local LastError last;
  return last;
}

constexpr auto between_reports = std::chrono::milliseconds(50);
constexpr const char* memory_text = "[run] there is not enough memory for this";

/// A text with a 0 at its end that no thread changes.
const std::string& version_text() {
  static const std::string text = version();
  return text;
}

}  // namespace

kedge_status fail_without_memory() noexcept {
  last_error().is_memory = true;
  return KEDGE_NO_MEMORY;
}

kedge_status fail(kedge_status status, const std::string& text, const std::string& setting) noexcept {
  try {
    std::string name = setting;
    for (char& c : name)
      if (c == '-') c = '_';
    last_error() = {text, std::move(name), false};
    return status;
  } catch (...) {
    return fail_without_memory();
  }
}

void give(kedge_text** output, std::string text) {
  if (output) *output = new kedge_text{std::move(text)};
}

void give(kedge_text** output, const Json& json) {
  if (output) give(output, json.dump(JsonText::replaced));
}

bool WatchedRun::tell(const Progress& progress) {
  if (stopped_) return false;
  // Small trainings report thousands of times a second.
  const auto now = std::chrono::steady_clock::now();
  if (told_ && now - *told_ < between_reports && phase_ == progress.phase) return true;
  told_ = now;
  phase_ = progress.phase;
  const kedge_progress told{progress.step, progress.steps,      progress.loss,
                            progress.work, progress.total_work, progress.phase};
  if (run_.watch(run_.context, &told) == 0) stopped_ = true;
  return !stopped_;
}

ProgressFn WatchedRun::progress() {
  if (!run_.watch) return {};
  return [this](const Progress& progress) { return tell(progress); };
}

RunOptions WatchedRun::options() { return {.progress = progress(), .threads = threads(), .device = device_}; }

void WatchedRun::check() const {
  if (stopped_) throw Stopped();
}

}  // namespace kedge

using namespace kedge;

uint32_t kedge_abi_version(void) { return KEDGE_ABI_VERSION; }
const char* kedge_version(void) { return version_text().c_str(); }

const char* kedge_error(void) {
  const LastError& last = last_error();
  return last.is_memory ? memory_text : last.text.c_str();
}
const char* kedge_error_setting(void) {
  const LastError& last = last_error();
  return last.is_memory ? "" : last.setting.c_str();
}

const char* kedge_text_data(const kedge_text* text) { return text ? text->bytes.c_str() : ""; }
size_t kedge_text_size(const kedge_text* text) { return text ? text->bytes.size() : 0; }
void kedge_text_free(kedge_text* text) { delete text; }

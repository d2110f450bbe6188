#include "kedge/jobs/ranks.h"

#include <charconv>
#include <chrono>
#include <thread>

#include "kedge/core/error.h"
#include "kedge/core/format.h"

namespace kedge {

std::string packed(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += fmt::format("{}:", text.size()) + text;
  return all;
}

std::vector<std::string> unpacked(const std::string& text) {
  std::vector<std::string> texts;
  const char *at = text.data(), *const end = at + text.size();
  while (at != end) {
    size_t size = 0;
    const auto [colon, fault] = std::from_chars(at, end, size);
    if (fault != std::errc() || colon == end || *colon != ':' || size > static_cast<size_t>(end - colon - 1))
      throw Error("ranks", "a message is damaged; run it again");
    texts.emplace_back(colon + 1, size);
    at = colon + 1 + size;
  }
  return texts;
}

void wait_for_messages() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

}  // namespace kedge

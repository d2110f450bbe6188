#include "tests/numerics/bits.h"

#include <gtest/gtest.h>

#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kedge/core/error.h"
#include "kedge/core/files.h"
#include "kedge/core/format.h"
#include "kedge/jobs/job_store.h"

namespace kedge {
namespace {

constexpr size_t most_shown = 20;

/// Bits that are no number count alike.
void append_bits(std::string& bytes, double number) {
  const auto bits = std::isnan(number) ? ~uint64_t{0} : std::bit_cast<uint64_t>(number);
  for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(bits >> shift & 255));
}

Json entry_of(const Bits& bits) {
  Json entry = Json::array({Json(bits.hash)});
  for (double number : bits.numbers) entry.push_back(number_or_null(number));
  return entry;
}

Bits bits_of(const Json& entry, const std::string& name) {
  const Json::List& list = entry.as_list(name);
  if (list.empty()) throw JsonError(name + " is empty");
  Bits bits{list[0].as_string(name), {}};
  for (size_t i = 1; i < list.size(); ++i)
    bits.numbers.push_back(list[i].is_null() ? std::nan("") : list[i].as_number(name));
  return bits;
}

std::string numbers_text(const Bits& bits) { return fmt::format("{}", fmt::join(bits.numbers, " ")); }

std::string difference_text(const std::string& name, const Bits& stored, const Bits& found) {
  const std::string before = numbers_text(stored), now = numbers_text(found);
  return before == now ? fmt::format("{}: {}, and other numbers changed", name, now)
                       : fmt::format("{}: {}; the list has {}", name, now, before);
}

/// Where the committed lists are: where the program was compiled, or in the tree that it is run from.
std::filesystem::path golden_folder() {
  const std::filesystem::path compiled = KEDGE_SOURCE_DIR "/tests/golden";
  return std::filesystem::exists(compiled) ? compiled : "tests/golden";
}

/// "numerics-gnu-12.2.0-x86-64-v4.json"
std::string file_of(const BitOrigin& origin) {
  std::string name = "numerics";
  for (const char c : "-" + origin.made_by) {
    const bool is_kept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (is_kept)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (name.back() != '-')
      name += '-';
  }
  return name + ".json";
}

std::optional<StoredBits> committed(const BitOrigin& origin) {
  const std::filesystem::path file = golden_folder() / file_of(origin);
  if (!std::filesystem::exists(file)) return std::nullopt;
  return stored_bits(read_file(file.string(), "test"));
}

void collect_numbers(const Json& json, std::vector<double>& numbers) {
  if (json.is_array()) {
    for (const Json& item : json.as_list("list")) collect_numbers(item, numbers);
  } else if (json.is_object()) {
    for (const auto& [name, value] : json.as_object("object")) collect_numbers(value, numbers);
  } else if (json.is_null()) {
    numbers.push_back(std::nan(""));
  } else if (!json.is_string() && json != Json(true) && json != Json(false)) {
    numbers.push_back(json.as_number("number"));
  }
}

}  // namespace

void BitList::add(const std::string& name, const std::vector<double>& numbers) {
  std::string bytes;
  for (double number : numbers) append_bits(bytes, number);
  Bits bits{fmt::format("{:016x}", hash_of(bytes)), numbers};
  if (numbers.size() > 3) bits.numbers = {numbers.front(), numbers[numbers.size() / 2], numbers.back()};
  EXPECT_FALSE(numbers.empty()) << name;
  EXPECT_TRUE(bits_.emplace(name, std::move(bits)).second) << name << " is there twice";
}

void BitList::add_all(const std::string& name, const BitList& others) {
  for (const auto& [other, bits] : others.all()) bits_.emplace(name + other, bits);
}

void BitList::add_json(const std::string& name, const std::string& text) {
  std::vector<double> numbers;
  collect_numbers(Json::parse(text), numbers);
  add(name, numbers);
}

std::string to_text(const StoredBits& stored) {
  std::string text = fmt::format("{{\n\"version\": {},\n\"made_by\": {},\n\"bits\": {{", stored.version,
                                 Json(stored.made_by).dump());
  const char* separator = "\n";
  for (const auto& [name, bits] : stored.bits) {
    text += fmt::format("{}{}: {}", separator, Json(name).dump(), entry_of(bits).dump());
    separator = ",\n";
  }
  return text + "\n}}\n";
}

StoredBits stored_bits(const std::string& text) {
  const Json json = Json::parse(text);
  StoredBits stored{
      exactly<int>(json.at("version"), "version"), exactly<std::string>(json.at("made_by"), "made_by"), {}};
  for (const auto& [name, entry] : json.at("bits").as_object("bits"))
    stored.bits.emplace(name, bits_of(entry, name));
  return stored;
}

std::vector<std::string> faults_of(const StoredBits& stored, const BitOrigin& origin, const BitList& found) {
  if (stored.version != origin.version)
    return {fmt::format("the list is of version {}, and kedge::{} is {}: make it anew", stored.version,
                        origin.version_name, origin.version)};
  std::vector<std::string> faults;
  for (const auto& [name, bits] : found.all()) {
    const auto entry = stored.bits.find(name);
    if (entry == stored.bits.end())
      faults.push_back(fmt::format("{}: {}; the list has no such entry", name, numbers_text(bits)));
    else if (entry->second.hash != bits.hash)
      faults.push_back(difference_text(name, entry->second, bits));
  }
  for (const auto& [name, bits] : stored.bits)
    if (!found.all().contains(name)) faults.push_back(name + ": nothing computes it any more");
  return faults;
}

StoredBits remade(const std::optional<StoredBits>& before, const BitOrigin& origin, const BitList& found) {
  if (before && before->version == origin.version)
    for (const auto& [name, bits] : found.all())
      if (const auto entry = before->bits.find(name);
          entry != before->bits.end() && entry->second.hash != bits.hash)
        throw Error(
            "numerics",
            fmt::format("a list of other bits needs another version; found {} still {}, and {}; raise it "
                        "in kedge/jobs/numerics.h",
                        origin.version_name, origin.version, difference_text(name, entry->second, bits)));
  return {origin.version, origin.made_by, found.all()};
}

void expect_committed(const BitOrigin& origin, const BitList& found) {
  const std::optional<StoredBits> stored = committed(origin);
  if (const char* folder = std::getenv("KEDGE_WRITE_NUMERICS")) {
    std::ofstream(std::filesystem::path(folder) / file_of(origin)) << to_text(remade(stored, origin, found));
    return;
  }
  if (!stored) GTEST_SKIP() << "tests/golden has no bits of " << origin.made_by;
  std::vector<std::string> faults = faults_of(*stored, origin, found);
  const size_t count = faults.size();
  if (count > most_shown) faults.resize(most_shown);
  EXPECT_TRUE(faults.empty())
      << count << " of " << found.all().size() << " differ from tests/golden/" << file_of(origin) << ":\n  "
      << fmt::format("{}", fmt::join(faults, "\n  "))
      << "\nResults with other bits must not be mixed with those of before. If this is meant, raise kedge::"
      << origin.version_name
      << " in kedge/jobs/numerics.h, say there what changed, and make the lists anew by tools/numerics.";
}

}  // namespace kedge

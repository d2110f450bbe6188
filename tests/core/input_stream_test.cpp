#include "kedge/core/input_stream.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kedge/core/error.h"
#include "tests/core/gzip.h"

namespace kedge {
namespace {

class InputStreams : public testing::Test {
 protected:
  InputStreams() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kedge-input-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~InputStreams() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& bytes) const {
    std::ofstream(folder_ / "file", std::ios::binary) << bytes;
    return folder_ / "file";
  }
  std::string error_of(const std::string& bytes, uint64_t most = InputStream::most_inflated) const {
    try {
      InputStream(write(bytes), "read").read_rest(most);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
};

std::string long_text() {
  std::string text;
  for (int i = 0; text.size() < 700'000; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST_F(InputStreams, give_the_bytes_of_plain_and_compressed_files_in_pieces_of_any_size) {
  const std::string text = long_text();
  for (const std::string& bytes : {text, gzipped(text), gzipped(text.substr(0, 5)) + gzipped(text.substr(5))})
    for (const size_t piece : {size_t{7}, size_t{65536}, size_t{1} << 20}) {
      InputStream input(write(bytes), "read");
      EXPECT_EQ(input.is_compressed(), bytes != text);
      EXPECT_EQ(input.size(), bytes.size());
      EXPECT_EQ(input.peek(3), text.substr(0, 3));
      std::string got, room(piece, '\0');
      while (const size_t count = input.read(room.data(), piece)) {
        got.append(room, 0, count);
        if (piece == 7 && got.size() > 5000) break;
      }
      EXPECT_EQ(got, text.substr(0, got.size()));
      EXPECT_TRUE(piece == 7 || got.size() == text.size());
    }
  EXPECT_EQ(InputStream(write(""), "read").read_rest(), "");
}

TEST_F(InputStreams, refuse_compressed_files_that_are_cut_off_or_damaged) {
  const std::string whole = gzipped(long_text());
  for (const size_t size : {size_t{5}, size_t{40}, whole.size() / 2, whole.size() - 1})
    EXPECT_NE(error_of(whole.substr(0, size)).find("found the file cut off"), std::string::npos) << size;
  std::string damaged = whole;
  damaged[whole.size() - 6] ^= 1;
  EXPECT_NE(error_of(damaged).find("found damaged bytes"), std::string::npos);
  EXPECT_NE(error_of(whole + "more").find("found damaged bytes"), std::string::npos);
}

TEST_F(InputStreams, refuse_to_inflate_more_than_a_limit_at_once) {
  const std::string text = long_text();
  EXPECT_EQ(error_of(gzipped(text), text.size()), "");
  EXPECT_NE(error_of(gzipped(text), text.size() - 1).find("after decompression; found more"),
            std::string::npos);
  EXPECT_EQ(error_of(text, 10), "");
}

TEST_F(InputStreams, say_why_a_file_cannot_be_read) {
  EXPECT_THROW(InputStream((folder_ / "none").string(), "read"), Error);
  EXPECT_THROW(InputStream(folder_.string(), "read"), Error);
  EXPECT_THROW(InputStream("", "read"), Error);
}

}  // namespace
}  // namespace kedge

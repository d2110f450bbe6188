#include "kedge/core/file_kind.h"

#include <gtest/gtest.h>

#include <string>

namespace kedge {
namespace {

std::string kind_of(std::string_view bytes) {
  const FileKind* kind = other_kind(bytes);
  return kind ? std::string(kind->name) : "";
}

TEST(FileKind, is_told_by_the_first_bytes) {
  EXPECT_EQ(kind_of("\x89HDF\r\n\x1a\n more"), "an HDF5 file");
  EXPECT_EQ(kind_of("\x93NUMPY\x01"), "an NPY file");
  EXPECT_EQ(kind_of("PK\x03\x04"), "a ZIP or NPZ file");
  EXPECT_EQ(kind_of("a;b\r\n1;2\r\n"), "a text, such as a CSV table");
  EXPECT_EQ(kind_of("größe\n"), "a text, such as a CSV table");
}

TEST(FileKind, is_not_guessed) {
  EXPECT_EQ(kind_of(""), "");
  EXPECT_EQ(kind_of("abc"), "");
  EXPECT_EQ(kind_of(std::string_view("text\0", 5)), "");
  EXPECT_EQ(kind_of("\xff\xff\xff\xff"), "");
  EXPECT_EQ(kind_of(std::string_view("\x88\x0b\0\0\0\0\0\0{", 9)), "");
}

}  // namespace
}  // namespace kedge

#include "kedge/core/file_kind.h"

#include <gtest/gtest.h>

#include <string>

#include "kedge/core/error.h"

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

std::string refused_table(std::string_view bytes) {
  try {
    require_table(bytes, "t");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(FileKind, of_a_python_pickle_is_told_from_a_short_header) {
  EXPECT_EQ(kind_of("\x80\x04\x95\x10"), "a Python pickle");
  EXPECT_EQ(kind_of("\x80\x03}q"), "a Python pickle");
  EXPECT_EQ(kind_of(std::string_view("\x80\x03\0\0\0\0\0\0{\"", 10)), "");
}

TEST(FileKind, a_model_is_no_table_and_neither_is_a_policy) {
  const std::string head("\x88\x0b\0\0\0\0\0\0{\"__metadata__\":{\"format\":\"", 34);
  EXPECT_TRUE(is_kedge_file(head + "kedge-model\""));
  EXPECT_TRUE(is_kedge_file(head + "kedge-policy\""));
  EXPECT_FALSE(is_kedge_file(head + "pt\""));
  EXPECT_FALSE(is_kedge_file("format,kedge-model\n"));
  EXPECT_NE(refused_table(head + "kedge-model\"").find("found a model that kedge fit wrote; kedge predict"),
            std::string::npos);
  EXPECT_NE(refused_table(head + "kedge-policy\"").find("kedge rollout"), std::string::npos);
}

TEST(FileKind, a_table_is_one_unless_its_bytes_tell_otherwise) {
  for (const char* bytes : {"", "a,b\n1,2\n", "\x93NUMPY\x01",
                            "\xff\xfe"
                            "a\n",
                            "P"})
    EXPECT_EQ(refused_table(bytes), "") << bytes;
  for (const char* bytes : {"PK\x03\x04", "PAR1", "\x89HDF\r\n\x1a\n", "\x80\x04\x95"})
    EXPECT_NE(refused_table(bytes).find("[read] t: needs a table, CSV or NPY; found a"), std::string::npos);
}

}  // namespace
}  // namespace kedge

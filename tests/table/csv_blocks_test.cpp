#include "kedge/table/csv_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kedge/core/error.h"
#include "tests/core/gzip.h"

namespace kedge {
namespace {

class CsvBlockFiles : public testing::Test {
 protected:
  CsvBlockFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kedge-blocks-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~CsvBlockFiles() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& bytes) const {
    std::ofstream(folder_ / "t.csv", std::ios::binary) << bytes;
    return folder_ / "t.csv";
  }

  struct Read {
    std::vector<double> values;
    std::vector<std::string> words, where;
    size_t blocks = 0;
    std::string error = {};
  };

  /// The columns x and w, read in blocks.
  Read read(const std::string& bytes, CsvBlockOptions options) const {
    Read all{};
    try {
      InputStream input(write(bytes), "csv");
      CsvBlocks blocks(input, options);
      const CsvRowOptions rows{.columns = {.text = {"w"}, .only = {}, .skip = {}}};
      while (const auto block = blocks.next(blocks.names(), rows)) {
        ++all.blocks;
        const Table& table = block->table;
        for (size_t r = 0; r < table.rows(); ++r) {
          all.values.push_back(table.column("x").values[r]);
          all.words.push_back(table.column("w").words[static_cast<size_t>(table.column("w").values[r])]);
          all.where.push_back(table.where(r));
        }
      }
    } catch (const Error& error) {
      all.error = error.what();
    }
    return all;
  }

  std::filesystem::path folder_;
};

std::string quoted_table() {
  std::string text = "\xEF\xBB\xBFx,w\n";
  for (int i = 0; i < 300; ++i)
    text += std::to_string(i) + (i % 3 == 0   ? ",\"two\nlines, and \"\"quotes\"\"\"\r\n"
                                 : i % 3 == 1 ? ",plain 5\" pipe\n"
                                              : ", \"\"\n");
  return text;
}

TEST_F(CsvBlockFiles, of_any_size_hold_the_rows_of_the_whole_file) {
  const std::string text = quoted_table();
  const Read whole = read(text, {});
  ASSERT_EQ(whole.values.size(), 300u) << whole.error;
  EXPECT_EQ(whole.blocks, 1u);
  EXPECT_EQ(whole.words[0], "two\nlines, and \"quotes\"");
  for (const size_t bytes : {1u, 2u, 17u, 100u, 1000u})
    for (const std::string& file : {text, gzipped(text), text.substr(0, text.size() - 1), text + "\n\n \n"}) {
      const Read parts = read(file, {.block_bytes = bytes});
      EXPECT_EQ(parts.error, "");
      EXPECT_GT(parts.blocks, 5u);
      EXPECT_EQ(parts.values, whole.values);
      EXPECT_EQ(parts.words, whole.words);
      EXPECT_EQ(parts.where, whole.where);
    }
}

TEST_F(CsvBlockFiles, have_the_errors_of_the_whole_file) {
  for (const std::string& text : {std::string("x,w\n1,a\n\n2,b\n"), std::string("x,w\n1,a\n2\n"),
                                  std::string("x,w\n"), std::string(""), std::string("x,w\n1,a\n2,\"b\n"),
                                  std::string("x,w\n1,a\nb,2\n"), std::string("x,w\n1,a\n2,\0\n", 12)}) {
    const std::string whole = read(text, {}).error;
    EXPECT_NE(whole, "") << text;
    for (const size_t bytes : {1u, 9u}) EXPECT_EQ(read(text, {.block_bytes = bytes}).error, whole);
  }
}

TEST_F(CsvBlockFiles, refuse_a_record_without_an_end) {
  const std::string endless = "x,w\n1,\"" + std::string(10000, 'a') + "\",";
  const Read read_all = read(endless, {.block_bytes = 64, .longest_record = 1000});
  EXPECT_NE(read_all.error.find("line 2: needed rows of at most 1000 bytes"), std::string::npos)
      << read_all.error;
}

TEST_F(CsvBlockFiles, tell_each_odd_cell_and_keep_cells_as_they_are_written) {
  InputStream input(write("id;x;w\n007;1,50;a\nx y;oak;b\n\"q;\";;c\n"), "csv");
  CsvBlocks blocks(input);
  EXPECT_EQ(blocks.format(), (CsvFormat{Separator::semicolon, Decimal::comma, Header::yes}));
  const auto rows = blocks.next(
      blocks.names(),
      {.columns = {.text = {}, .only = {"x"}, .skip = {}}, .odd = OddCells::tell, .keep = {"x", "id"}});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->kept[0], (std::vector<std::string>{"1,50", "oak", ""}));
  EXPECT_EQ(rows->kept[1], (std::vector<std::string>{"007", "x y", "q;"}));
  EXPECT_EQ(rows->table.column("x").values[0], 1.5);
  EXPECT_TRUE(std::isnan(rows->table.column("x").values[1]));
  ASSERT_EQ(rows->odd.size(), 1u);
  EXPECT_EQ(rows->odd[0].row, 1u);
  EXPECT_EQ(rows->odd[0].line, 3u);
  EXPECT_EQ(rows->odd[0].text, "oak");
  EXPECT_EQ(rows->counts[0].missing, 1u);
}

TEST_F(CsvBlockFiles, that_are_skipped_leave_the_others_with_their_lines) {
  std::string rows = "x,w\n";
  for (int r = 0; r < 40; ++r) rows += std::to_string(r) + ",\"two\nlines\"\n";
  const CsvRowOptions options{.columns = {.text = {"w"}, .only = {}, .skip = {}}};
  for (const std::string end : {"", "\n\n", "41,last"}) {
    const std::string path = write(rows + end);
    for (size_t turn : {0u, 1u, 2u}) {
      InputStream all_input(path, "csv"), some_input(path, "csv");
      CsvBlocks all(all_input, {.block_bytes = 64}), some(some_input, {.block_bytes = 64});
      size_t b = 0;
      for (;; ++b) {
        const std::optional<CsvRows> expected = all.next(all.names(), options);
        if (b % 3 != turn) {
          ASSERT_EQ(some.skip(), expected.has_value()) << b << end;
        } else {
          const std::optional<CsvRows> found = some.next(some.names(), options);
          ASSERT_EQ(found.has_value(), expected.has_value());
          if (!found) break;
          EXPECT_EQ(found->table.where(0), expected->table.where(0));
          EXPECT_EQ(found->table.column("x").values, expected->table.column("x").values);
        }
        if (!expected) break;
      }
      EXPECT_GT(b, 5u);
    }
  }
}

}  // namespace
}  // namespace kedge

#include "kedge/table/npy.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "kedge/table/table.h"
#include "tests/table/broken_files.h"

namespace kedge {
namespace {

const std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n";

std::string file(int version, const std::string& header, const std::string& data) {
  std::string result = "\x93NUMPY";
  result += static_cast<char>(version);
  result += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    result += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return result + header + data;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string result(values.size() * sizeof(T), '\0');
  std::memcpy(result.data(), values.data(), result.size());
  return result;
}

std::string six_doubles() { return bytes_of<double>({1, 2, 3, 4, 5, 6}); }

const Matrix<double> two_by_three(2, 3, {1, 2, 3, 4, 5, 6});

std::string error_of(const std::string& bytes) {
  const std::string result = error_text([&] { parse_npy(bytes, "x.npy"); });
  EXPECT_EQ(result.find('\n'), std::string::npos) << "more than one line: " << result;
  return result;
}

std::string error_of_header(const std::string& header) { return error_of(file(1, header, six_doubles())); }

TEST(Npy, reads_all_three_versions) {
  for (int version : {1, 2, 3}) {
    EXPECT_EQ(parse_npy(file(version, dictionary, six_doubles()), "x.npy"), two_by_three);
  }
}

TEST(Npy, reads_fortran_order_as_the_same_matrix) {
  const std::string header = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }";
  EXPECT_EQ(parse_npy(file(1, header, bytes_of<double>({1, 4, 2, 5, 3, 6})), "x.npy"), two_by_three);
}

TEST(Npy, reads_every_type_of_number) {
  auto read = [](const std::string& type, const std::string& data) {
    return parse_npy(file(1, "{'descr': '" + type + "', 'fortran_order': False, 'shape': (2,), }", data),
                     "x.npy");
  };
  EXPECT_EQ(read("<f4", bytes_of<float>({0.5f, -3e38f})), (Matrix<double>(2, 1, {0.5, double{-3e38f}})));
  EXPECT_EQ(read("<f8", bytes_of<double>({0.1, -1e300})), (Matrix<double>(2, 1, {0.1, -1e300})));
  EXPECT_EQ(read("<i4", bytes_of<int32_t>({7, -2147483647})), (Matrix<double>(2, 1, {7, -2147483647.0})));
  EXPECT_EQ(read("<i8", bytes_of<int64_t>({-1, int64_t{1} << 53})), (Matrix<double>(2, 1, {-1, 0x1p53})));
  EXPECT_EQ(read("|u1", bytes_of<uint8_t>({0, 255})), (Matrix<double>(2, 1, {0, 255})));
}

TEST(Npy, reads_the_header_whatever_its_order_spaces_and_quotes) {
  for (const char* header :
       {"{'shape':(2,3),'fortran_order':False,'descr':'<f8'}",
        " { \"descr\" : \"<f8\" , 'shape' : ( 2 , 3 , ) , 'fortran_order' : False } \n"}) {
    EXPECT_EQ(parse_npy(file(1, header, six_doubles()), "x.npy"), two_by_three) << header;
  }
}

TEST(Npy, becomes_a_table_with_numbered_columns) {
  const std::string path = testing::TempDir() + "kedge_npy_test.npy";
  {
    std::ofstream out(path, std::ios::binary);
    write_npy(out, two_by_three);
  }
  const Table table = table_from_matrix(read_npy(path), path);
  EXPECT_EQ(table.column("x2").values, (std::vector<double>{3, 6}));
  EXPECT_EQ(table.where(1), path + ", row 1");
  std::remove(path.c_str());
}

TEST(NpyRoundTrip, any_matrix_comes_back_bit_for_bit) {
  Rng rng(21, Stream::noise);
  for (int trial = 0; trial < 200; ++trial) {
    Matrix<double> matrix(1 + rng.below(30), 1 + rng.below(200));
    for (size_t r = 0; r < matrix.rows(); ++r) {
      for (double& value : matrix.row(r)) value = std::bit_cast<double>(rng.bits64());
    }
    std::ostringstream out;
    write_npy(out, matrix);
    EXPECT_EQ(out.str().find('\n') % 64, 63u) << "values do not start at a multiple of 64 bytes";
    const Matrix<double> back = parse_npy(out.str(), "x.npy");
    ASSERT_EQ(back.rows(), matrix.rows());
    ASSERT_EQ(back.cols(), matrix.cols());
    EXPECT_EQ(std::memcmp(back.data(), matrix.data(), matrix.rows() * matrix.cols() * sizeof(double)), 0);
  }
}

TEST(NpyErrors, a_file_of_another_kind) {
  EXPECT_EQ(error_of(""),
            "[npy] x.npy: needed a NumPy array file; found an empty file; write it with numpy.save");
  EXPECT_NE(error_of("a,b\n1,2\n").find("found other bytes at its start"), std::string::npos);
  EXPECT_NE(error_of("\x93NUMPY\x01").find("found other bytes at its start"), std::string::npos);
  EXPECT_NE(error_of(file(4, dictionary, six_doubles())).find("needed format version 1, 2 or 3; found 4"),
            std::string::npos);
}

TEST(NpyErrors, a_file_that_is_missing) {
  EXPECT_NE(error_text([] { read_npy(testing::TempDir() + "kedge_no_such_file.npy"); }).find("No such file"),
            std::string::npos);
}

TEST(NpyErrors, a_file_cut_short_anywhere) {
  const std::string whole = file(2, dictionary, six_doubles());
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_NE(error_of(whole.substr(0, size)), "") << size;
}

TEST(NpyErrors, more_bytes_than_values) {
  EXPECT_EQ(error_of(file(1, dictionary, six_doubles() + "x")),
            "[npy] x.npy: needed 2 x 3 values of 8 bytes; found 49 bytes of data; copy the file again");
  EXPECT_NE(error_of(file(1, dictionary, six_doubles() + six_doubles())).find("found 96 bytes"),
            std::string::npos);
}

TEST(NpyErrors, sizes_that_overflow_are_refused_before_anything_is_allocated) {
  for (const char* shape : {"(4611686018427387904, 4)", "(18446744073709551615, 18446744073709551615)",
                            "(2, 9223372036854775811)", "(1000000000000,)", "(18446744073709551616,)"}) {
    const std::string header =
        std::string("{'descr': '<f8', 'fortran_order': False, 'shape': ") + shape + "}";
    EXPECT_NE(error_of_header(header), "") << shape;
  }
  std::string bytes = file(2, dictionary, six_doubles());
  bytes.replace(8, 4, "\xFF\xFF\xFF\xFF");
  EXPECT_NE(error_of(bytes).find("needed a whole header"), std::string::npos);
}

TEST(NpyErrors, numbers_of_another_type) {
  for (const char* type : {">f8", "<f2", "<c16", "|O", "|b1", "<U5", "f8", ""}) {
    const std::string header =
        std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (2, 3)}";
    EXPECT_NE(error_of_header(header).find("needed numbers of type"), std::string::npos) << type;
  }
  EXPECT_NE(error_of_header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,)}")
                .find("one plain type"),
            std::string::npos);
}

TEST(NpyErrors, another_number_of_dimensions_or_nothing_in_them) {
  for (const char* shape : {"()", "(1, 2, 3)"}) {
    const std::string header =
        std::string("{'descr': '<f8', 'fortran_order': False, 'shape': ") + shape + "}";
    EXPECT_NE(error_of_header(header).find("needed an array of 1 or 2 dimensions"), std::string::npos)
        << shape;
  }
  for (const char* shape : {"(0,)", "(0, 3)", "(1000000000000000000, 0)"}) {
    const std::string header =
        std::string("{'descr': '<f8', 'fortran_order': False, 'shape': ") + shape + "}";
    EXPECT_NE(error_of(file(1, header, "")).find("needed at least one row and one column"), std::string::npos)
        << shape;
  }
}

TEST(NpyErrors, a_header_that_is_no_such_dictionary) {
  for (const char* header :
       {"", "{", "{}", "[]", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 6}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-2, 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f8, 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'more': True}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)} x",
        "{'descr' '<f8', 'fortran_order': False, 'shape': (2, 3)}"}) {
    EXPECT_NE(error_of_header(header).find("in the header; found"), std::string::npos) << header;
  }
}

TEST(NpyErrors, a_stream_that_fails) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_NE(error_text([&] { write_npy(out, two_by_three); }).find("[npy]"), std::string::npos);
}

TEST(NpyMutation, a_damaged_file_gives_a_matrix_of_its_own_size_or_an_error_and_nothing_else) {
  Rng rng(22, Stream::noise);
  int matrices = 0, errors = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const std::vector<char> bytes =
        mutated(file(1 + trial % 3, dictionary, six_doubles()), "{}(),:'0129 <", rng);
    try {
      const Matrix<double> matrix = parse_npy({bytes.data(), bytes.size()}, "x.npy");
      EXPECT_GT(matrix.rows() * matrix.cols(), 0u);
      EXPECT_LE(matrix.values().size(), bytes.size());
      ++matrices;
    } catch (const Error& error) {
      EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
      ++errors;
    }
  }
  EXPECT_GT(matrices, 100);
  EXPECT_GT(errors, 500);
}

}  // namespace
}  // namespace kedge

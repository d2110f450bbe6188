#pragma once

// Matrix and MatrixView: dense, row-major numbers. The view does not own what it shows; its members are
// constexpr so that device code may call them.

#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace kedge {

template <class T>
class MatrixView {
 public:
  constexpr MatrixView() = default;
  constexpr MatrixView(T* data, size_t rows, size_t cols) : data_(data), rows_(rows), cols_(cols) {}

  /// A view of numbers is also a view of const numbers.
  constexpr operator MatrixView<const T>() const requires(!std::is_const_v<T>) {
    return {data_, rows_, cols_};
  }

  constexpr size_t rows() const { return rows_; }
  constexpr size_t cols() const { return cols_; }
  constexpr T* data() const { return data_; }
  constexpr std::span<T> row(size_t r) const {
    assert(r < rows_);
    return {data_ + r * cols_, cols_};
  }
  constexpr T& operator()(size_t r, size_t c) const {
    assert(r < rows_ && c < cols_);
    return data_[r * cols_ + c];
  }

 private:
  T* data_ = nullptr;
  size_t rows_ = 0;
  size_t cols_ = 0;
};

template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(size_t rows, size_t cols, T fill = T{}) : rows_(rows), cols_(cols), data_(rows * cols, fill) {}
  Matrix(size_t rows, size_t cols, std::vector<T> data) : rows_(rows), cols_(cols), data_(std::move(data)) {
    assert(data_.size() == rows * cols);
  }

  operator MatrixView<const T>() const { return {data_.data(), rows_, cols_}; }
  operator MatrixView<T>() { return {data_.data(), rows_, cols_}; }
  MatrixView<const T> view() const { return *this; }

  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  T* data() { return data_.data(); }
  const T* data() const { return data_.data(); }
  const std::vector<T>& values() const { return data_; }
  std::span<T> row(size_t r) { return {data_.data() + r * cols_, cols_}; }
  std::span<const T> row(size_t r) const { return {data_.data() + r * cols_, cols_}; }
  T& operator()(size_t r, size_t c) { return data_[r * cols_ + c]; }
  const T& operator()(size_t r, size_t c) const { return data_[r * cols_ + c]; }
  bool operator==(const Matrix&) const = default;

 private:
  size_t rows_ = 0;
  size_t cols_ = 0;
  std::vector<T> data_;
};

}  // namespace kedge

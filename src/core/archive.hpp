#pragma once

/// The state of a computation as bytes, and back.
///
/// A class with state has a member exchange(Archive&) that names its parts: the same call saves and loads, so
/// the two cannot diverge. The bytes can be read only by the same program on the same kind of machine, and do
/// not identify themselves: store a name and a checksum with them.

#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/real50.hpp"

namespace rarefact {

class Archive {
 public:
  /// Saves: parts are appended to bytes.
  Archive() = default;
  /// Loads: parts are taken from `saved`, which must outlive the archive.
  explicit Archive(std::span<const std::byte> saved) : saved_(saved), loading_(true) {}

  /// Saves the parts in this order, or fills them. A part is a number, text, container or Eigen array of
  /// parts, or has a member exchange(Archive&). Throws std::runtime_error if the bytes end too early.
  template <class... Parts>
  void operator()(Parts&... parts) {
    (part(parts), ...);
  }

  std::vector<std::byte> take() { return std::move(bytes_); }

  template <class... Parts>
  static std::size_t size_of(Parts&... parts) {
    Archive archive;
    archive.counting_ = true;
    archive(parts...);
    return archive.counted_;
  }
  /// Room for bytes: a state of some megabytes is not moved while it grows.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }

  /// Throws std::runtime_error unless all bytes were loaded.
  void finish() const {
    if (!saved_.empty()) throw std::runtime_error("a saved state is longer than what it is loaded into");
  }

 private:
  template <class T>
  requires requires(T& x, Archive& a) { x.exchange(a); }
  void part(T& x) { x.exchange(*this); }

  template <class T>
  requires std::is_arithmetic_v<T>
  void part(T& x) { raw(&x, sizeof x); }

  /// As decimal digits, enough to restore the same number.
  void part(Real50& x) {
    std::string digits = loading_ ? std::string() : x.digits();
    part(digits);
    if (loading_) x = Real50(digits);
  }

  void part(std::string& x) {
    x.resize(count(x.size(), 1));
    raw(x.data(), x.size());
  }

  template <class T>
  void part(std::vector<T>& x) {
    x.resize(count(x.size(), std::is_arithmetic_v<T> || std::is_same_v<T, std::byte> ? sizeof(T) : 1));
    elements(x.data(), x.size());
  }

  template <class T>
  void part(std::map<std::string, T>& x) {
    std::size_t size = count(x.size(), 1);
    if (!loading_) {
      for (auto& [name, value] : x) {
        std::string copy = name;
        (*this)(copy, value);
      }
      return;
    }
    x.clear();
    for (; size > 0; --size) {
      std::string name;
      part(name);
      part(x[name]);
    }
  }

  template <class T>
  void part(std::optional<T>& x) {
    bool present = x.has_value();
    part(present);
    if (loading_) x.reset();
    if (present) part(loading_ ? x.emplace() : *x);
  }

  /// Saves a shared object once for each owner; loading gives each owner a copy.
  template <class T>
  void part(std::shared_ptr<const T>& x) {
    std::optional<T> value;
    if (x && !loading_) value = *x;
    part(value);
    if (loading_) x = value ? std::make_shared<const T>(std::move(*value)) : nullptr;
  }

  template <class T, int Rows, int Columns>
  void part(Eigen::Matrix<T, Rows, Columns>& x) {
    std::int64_t rows = x.rows(), columns = x.cols();
    (*this)(rows, columns);
    if (loading_) {
      const auto bytes = static_cast<std::int64_t>(saved_.size());
      if (rows < 0 || columns < 0 || (columns > 0 && rows > bytes / columns)) too_short();
      x.resize(rows, columns);
    }
    elements(x.data(), static_cast<std::size_t>(x.size()));
  }

  template <class T>
  void elements(T* first, std::size_t size) {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::byte>) {
      raw(first, size * sizeof(T));
    } else {
      for (std::size_t i = 0; i < size; ++i) part(first[i]);
    }
  }

  /// The number of elements, checked against `unit` bytes each: damaged bytes cannot request absurd memory.
  std::size_t count(std::size_t size, std::size_t unit) {
    std::uint64_t stored = size;
    part(stored);
    if (loading_ && stored > saved_.size() / unit) too_short();
    return static_cast<std::size_t>(stored);
  }

  void raw(void* data, std::size_t size) {
    if (counting_) {
      counted_ += size;
      return;
    }
    if (!loading_) {
      const auto* begin = static_cast<const std::byte*>(data);
      bytes_.insert(bytes_.end(), begin, begin + size);
      return;
    }
    if (size > saved_.size()) too_short();
    if (size > 0) std::memcpy(data, saved_.data(), size);
    saved_ = saved_.subspan(size);
  }

  [[noreturn]] static void too_short() {
    throw std::runtime_error("a saved state is shorter than what it is loaded into");
  }

  std::vector<std::byte> bytes_;
  std::span<const std::byte> saved_;
  bool loading_ = false, counting_ = false;
  std::size_t counted_ = 0;
};

}  // namespace rarefact

// Arrays on the execution space, with transfers from and to the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "device/device_memory.hpp"
#include "device/memory_estimate.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "device/cuda/pooled_memory.hpp"
#endif
#include "kernels/arithmetic/views.hpp"

namespace nfold::device {

using Space = Kokkos::DefaultExecutionSpace;
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;

/// Returns the execution space of this thread that copies and new arrays are ordered after; null:
/// they wait for the whole device.
inline const Space*& copying_space() {
  static thread_local const Space* space = nullptr;
  return space;
}
/// Copies within the device, ordered before later reads on the same execution space.
template <class To, class From>
void copy_in_order(const To& to, const From& from) {
  if (const auto* const space = copying_space()) {
    Kokkos::deep_copy(*space, to, from);
  } else {
    Kokkos::deep_copy(to, from);
  }
}
template <class To, class From>
void copy_and_wait(const To& to, const From& from) {
  copy_in_order(to, from);
  if (copying_space() != nullptr) copying_space()->fence();
}

#ifdef KOKKOS_ENABLE_CUDA
/// Elements of one array, initially zero.
template <class T>
class Elements {
 public:
  using View = Kokkos::View<T*, Space::memory_space, Kokkos::MemoryUnmanaged>;

  Elements() = default;
  Elements(const std::string& label, std::size_t n, MemoryOrigin origin)
      : memory_(label, n * sizeof(T), origin) {
    const cudaStream_t stream =
        copying_space() != nullptr ? copying_space()->cuda_stream() : Space().cuda_stream();
    auto code = cudaMemsetAsync(memory_.data(), 0, n * sizeof(T), stream);
    if (code == cudaSuccess && copying_space() == nullptr) code = cudaStreamSynchronize(stream);
    if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
    view_ = View(static_cast<T*>(memory_.data()), n);
  }
  ~Elements() = default;
  Elements(Elements&& other) noexcept
      : memory_(std::move(other.memory_)), view_(std::exchange(other.view_, View())) {}
  Elements& operator=(Elements&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(view_, other.view_);
    return *this;
  }
  [[nodiscard]] const View& view() const { return view_; }

 private:
  PooledMemory memory_;
  View view_;
};
#else
enum class MemoryOrigin { pool, driver, pinned };

/// Elements of one array, initially zero.
template <class T>
class Elements {
 public:
  using View = Kokkos::View<T*, Space::memory_space>;

  Elements() = default;
  Elements(const std::string& label, std::size_t n, MemoryOrigin) : view_(label, n) {}
  [[nodiscard]] const View& view() const { return view_; }

 private:
  View view_;
};
#endif

/// One-dimensional array that grows; new elements are zero, old ones are lost. Throws
/// DeviceMemoryError if there is too little memory, and is then empty. Stands in pinned host
/// memory, with an address that kernels can use, if is_in_host_memory() at its reservation. Within
/// MemoryEstimate::count() it has a size, but no elements.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::string label, MemoryOrigin origin = MemoryOrigin::pool)
      : label_(std::move(label)), origin_(origin) {}
  DeviceArray(std::string label, ArrayUse use) : label_(std::move(label)), use_(use) {}

  [[nodiscard]] T* data() const { return elements_.view().data(); }
  [[nodiscard]] std::int64_t size() const {
    return static_cast<std::int64_t>(elements_.view().extent(0)) + counted_;
  }
  [[nodiscard]] std::int64_t bytes() const { return size() * static_cast<std::int64_t>(sizeof(T)); }
  [[nodiscard]] const std::string& label() const { return label_; }

  /// Ensures at least n elements. Returns true if the array was reallocated (all zero).
  bool reserve(std::int64_t n) {
    if (n <= size() && size() > 0) return false;
    if (auto* const estimate = counting_estimate()) {
      const std::int64_t before = bytes();
      counted_ = n > 0 ? n : 1;
      estimate->device(label_, bytes() - before, use_);
      return true;
    }
    elements_ = {};  // freed first: old and new array together may not fit
    share_.end();
    const std::int64_t elements = n > 0 ? n : 1;
    const std::int64_t bytes = elements * static_cast<std::int64_t>(sizeof(T));
    const bool in_host_memory = is_in_host_memory(use_);
    if (!in_host_memory) share_ = DeviceShare(label_, bytes);
    try {
      elements_ = Elements<T>(label_, static_cast<std::size_t>(elements),
                              in_host_memory ? MemoryOrigin::pinned : origin_);
    } catch (const std::exception&) {
      share_.end();
      throw in_host_memory ? make_pinned_error(label_, bytes) : make_refusal_error(label_, bytes);
    }
    return true;
  }
  /// Ensures at least n elements and keeps the old ones. Returns true if the array was reallocated.
  bool reserve_keeping(std::int64_t n) {
    if (n <= size() && size() > 0) return false;
    const auto before = std::exchange(elements_, {});
    reserve(n);
    if (counted_ > 0) return true;
    copy_and_wait(part(before.view().extent(0)), before.view());
    return true;
  }
  void upload(const std::vector<T>& values) {
    reserve(static_cast<std::int64_t>(values.size()));
    if (counted_ > 0) return;
    copy_and_wait(part(values.size()), HostView(values.data(), values.size()));
  }
  [[nodiscard]] std::vector<T> download(std::int64_t n) const {
    std::vector<T> values(static_cast<std::size_t>(n));
    copy_and_wait(MutableHostView(values.data(), values.size()), part(values.size()));
    return values;
  }
  [[nodiscard]] T element(std::int64_t i) const {
    if constexpr (on_host) {
      return data()[i];
    } else {
      T value{};
      Kokkos::deep_copy(value, Kokkos::subview(elements_.view(), static_cast<std::size_t>(i)));
      return value;
    }
  }
  void set(std::int64_t i, T value) {
    if constexpr (on_host) {
      data()[i] = value;
    } else {
      Kokkos::deep_copy(Kokkos::subview(elements_.view(), static_cast<std::size_t>(i)), value);
    }
  }
  void fill(T value) { copy_in_order(elements_.view(), value); }
  /// Copies the first n elements of another array of at least that size.
  void copy_from(const DeviceArray& other, std::int64_t n) {
    copy_in_order(part(static_cast<std::size_t>(n)), other.part(static_cast<std::size_t>(n)));
  }

 private:
  using HostView = Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using MutableHostView = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  [[nodiscard]] auto part(std::size_t n) const {
    return Kokkos::subview(elements_.view(), std::make_pair(std::size_t{0}, n));
  }
  std::string label_;
  MemoryOrigin origin_ = MemoryOrigin::pool;
  ArrayUse use_ = ArrayUse::steps;
  DeviceShare share_;
  Elements<T> elements_;
  std::int64_t counted_ = 0;  // elements counted in a memory estimate and not allocated
};

/// Three arrays, one for each Cartesian component.
template <class T>
class DeviceColumns {
 public:
  explicit DeviceColumns(const std::string& label, ArrayUse use = ArrayUse::steps)
      : x_(label + ".x", use), y_(label + ".y", use), z_(label + ".z", use) {}

  [[nodiscard]] kernels::Columns<T> view() const { return {x_.data(), y_.data(), z_.data()}; }
  [[nodiscard]] kernels::Columns<const T> read() const { return {x_.data(), y_.data(), z_.data()}; }
  [[nodiscard]] std::int64_t bytes() const { return x_.bytes() + y_.bytes() + z_.bytes(); }
  [[nodiscard]] std::int64_t size() const { return x_.size(); }
  bool reserve(std::int64_t n) {
    y_.reserve(n);
    z_.reserve(n);
    return x_.reserve(n);
  }
  void upload(const std::vector<std::array<T, 3>>& rows) {
    upload(rows.size(), rows.size(), [&rows](std::size_t row) { return rows[row]; });
  }
  /// Uploads row_of(i) for each i < rows, and zeros up to `padded`. The host holds one column at a
  /// time.
  template <class RowOf>
  void upload(std::size_t rows, std::size_t padded, const RowOf& row_of) {
    std::vector<T> column(padded);
    DeviceArray<T>* const columns[3] = {&x_, &y_, &z_};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < rows; ++i) column[i] = row_of(i)[axis];
      columns[axis]->upload(column);
    }
  }
  [[nodiscard]] std::vector<std::array<T, 3>> download(std::int64_t n) const {
    std::vector<std::array<T, 3>> rows(static_cast<std::size_t>(n));
    const DeviceArray<T>* const columns[3] = {&x_, &y_, &z_};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto column = columns[axis]->download(n);
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i][axis] = column[i];
    }
    return rows;
  }
  void fill(T value) {
    x_.fill(value);
    y_.fill(value);
    z_.fill(value);
  }
  void copy_from(const DeviceColumns& other, std::int64_t n) {
    x_.copy_from(other.x_, n);
    y_.copy_from(other.y_, n);
    z_.copy_from(other.z_, n);
  }

 private:
  DeviceArray<T> x_, y_, z_;
};

}  // namespace nfold::device

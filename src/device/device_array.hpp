// Arrays on the execution space, filled from and read back to the host.
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
#include "kernels/arithmetic/views.hpp"

namespace nfold::device {

using Space = Kokkos::DefaultExecutionSpace;
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;

/// Of this thread: the space whose work copies and new arrays come after, and no other's; null:
/// they wait for all of the device.
inline const Space*& copying_space() {
  static thread_local const Space* space = nullptr;
  return space;
}
/// Within the device: what reads it comes later in the same space.
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

/// A one-dimensional array that grows; new elements are zero, old ones are not kept. Throws
/// DeviceMemoryError where it finds no room, and is then empty.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::string label) : label_(std::move(label)) {}

  [[nodiscard]] T* data() const { return view_.data(); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(view_.extent(0)); }
  [[nodiscard]] std::int64_t bytes() const { return size() * static_cast<std::int64_t>(sizeof(T)); }

  /// At least n elements; true if the array was made anew (all zero).
  bool reserve(std::int64_t n) {
    if (n <= size() && size() > 0) return false;
    view_ = View();  // goes first: old and new together may be more than there is
    share_.end();
    const std::int64_t elements = n > 0 ? n : 1;
    const std::int64_t bytes = elements * static_cast<std::int64_t>(sizeof(T));
    share_ = DeviceShare(label_, bytes);
    try {
      view_ = new_view(static_cast<std::size_t>(elements));
    } catch (const std::exception&) {
      share_.end();
      throw refused_by_device(label_, bytes);
    }
    return true;
  }
  /// The same, and old elements are kept.
  bool reserve_keeping(std::int64_t n) {
    if (n <= size() && size() > 0) return false;
    const View before = view_;
    reserve(n);
    copy_and_wait(part(before.extent(0)), before);
    return true;
  }
  void upload(const std::vector<T>& values) {
    reserve(static_cast<std::int64_t>(values.size()));
    copy_and_wait(part(values.size()), HostView(values.data(), values.size()));
  }
  [[nodiscard]] std::vector<T> download(std::int64_t n) const {
    std::vector<T> values(static_cast<std::size_t>(n));
    copy_and_wait(MutableHostView(values.data(), values.size()), part(values.size()));
    return values;
  }
  [[nodiscard]] T element(std::int64_t i) const {
    if constexpr (on_host) {
      return view_.data()[i];
    } else {
      T value{};
      Kokkos::deep_copy(value, Kokkos::subview(view_, static_cast<std::size_t>(i)));
      return value;
    }
  }
  void set(std::int64_t i, T value) {
    if constexpr (on_host) {
      view_.data()[i] = value;
    } else {
      Kokkos::deep_copy(Kokkos::subview(view_, static_cast<std::size_t>(i)), value);
    }
  }
  void fill(T value) { copy_in_order(view_, value); }
  /// First n elements of another array of at least that size.
  void copy_from(const DeviceArray& other, std::int64_t n) {
    copy_in_order(part(static_cast<std::size_t>(n)), other.part(static_cast<std::size_t>(n)));
  }

 private:
  using View = Kokkos::View<T*, Space::memory_space>;
  using HostView = Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using MutableHostView = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  [[nodiscard]] auto part(std::size_t n) const {
    return Kokkos::subview(view_, std::make_pair(std::size_t{0}, n));
  }
  [[nodiscard]] View new_view(std::size_t n) const {
    if (const auto* const space = copying_space()) {
      return View(Kokkos::view_alloc(*space, label_), n);
    }
    return View(label_, n);
  }
  std::string label_;
  DeviceShare share_;
  View view_;
};

/// Three arrays, one a Cartesian component.
template <class T>
class DeviceColumns {
 public:
  explicit DeviceColumns(const std::string& label)
      : x_(label + ".x"), y_(label + ".y"), z_(label + ".z") {}

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
  /// row_of(i) for each i < rows, and zeros up to `padded`. The host has one column beside them.
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

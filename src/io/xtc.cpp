// Trajectory NAME.xtc: big-endian words (XDR), and a bit stream of integer coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/xtc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

// The bit stream is that of xdr3dfcoord by F. van Hoesel, which GROMACS uses: a residue is stored
// by its distance from the least corner of the frame, a residue close to the one before it by their
// difference, whose width in bits adapts to the frame.
namespace nfold::io {

namespace {

using GridPoint = std::array<std::int64_t, 3>;
__extension__ using Wide = unsigned __int128;

constexpr std::int32_t xtc_magic = 1995;
constexpr double steps_per_nm = 1000;
// Largest coordinate, and largest extent of a frame.
constexpr std::int64_t most_steps = std::numeric_limits<std::int32_t>::max() - 2;
// Largest count of residues whose compressed frame has a length of 31 bits.
constexpr std::size_t most_residues = 298'261'617;
// Frames of so few residues hold plain numbers.
constexpr std::size_t most_uncompressed = 9;

// Ranges of a difference: three numbers below widths[k] fit k bits.
constexpr std::array<std::int64_t, 73> widths = {
    0,        0,        0,       0,       0,       0,       0,       0,       0,       8,
    10,       12,       16,      20,      25,      32,      40,      50,      64,      80,
    101,      128,      161,     203,     256,     322,     406,     512,     645,     812,
    1024,     1290,     1625,    2048,    2580,    3250,    4096,    5060,    6501,    8192,
    10321,    13003,    16384,   20642,   26007,   32768,   41285,   52015,   65536,   82570,
    104031,   131072,   165140,  208063,  262144,  330280,  416127,  524287,  660561,  832255,
    1048576,  1321122,  1664510, 2097152, 2642245, 3329021, 4194304, 5284491, 6658042, 8388607,
    10568983, 13316085, 16777216};
constexpr int first_width = 9, last_width = 72;

/// Big-endian words of a frame and the bits between them.
class Packer {
 public:
  explicit Packer(std::vector<std::byte>& to) : to_(to) { to_.clear(); }

  void put_int(std::int64_t value) { put_word(static_cast<std::uint32_t>(value)); }
  void put_float(double value) {
    put_word(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
  /// Appends the lowest `count` bits of a value, at most 32, the highest first.
  void put_bits(int count, std::uint64_t value) {
    bits_ = (bits_ << static_cast<unsigned>(count)) |
            (value & ((std::uint64_t{1} << static_cast<unsigned>(count)) - 1));
    held_ += count;
    for (; held_ >= 8; held_ -= 8) put_byte(bits_ >> static_cast<unsigned>(held_ - 8));
  }
  /// Appends three numbers below `sizes` as one number of `count` bits, its lowest byte first.
  void put_point(int count, const GridPoint& sizes, const GridPoint& values) {
    Wide number = static_cast<Wide>(values[0]);
    for (const std::size_t d : {1U, 2U}) {
      number = number * static_cast<Wide>(sizes[d]) + static_cast<Wide>(values[d]);
    }
    for (; count > 0; count -= 8, number >>= 8U) {
      put_bits(std::min(count, 8), static_cast<std::uint64_t>(number & 0xFFU));
    }
  }
  /// Ends the bits that began at byte `first`: fills the last byte, then the last word. Returns the
  /// number of bytes before the last word was filled.
  std::int64_t end_bits(std::size_t first) {
    if (held_ > 0) put_bits(8 - held_, 0);
    const auto bytes = to_.size() - first;
    while ((to_.size() - first) % 4 != 0) to_.push_back({});
    return static_cast<std::int64_t>(bytes);
  }
  /// Replaces the word at byte `at`.
  void replace_int(std::size_t at, std::int64_t value) {
    for (std::size_t k = 0; k < 4; ++k) {
      to_[at + k] = static_cast<std::byte>(static_cast<std::uint32_t>(value) >> (24 - 8 * k));
    }
  }
  [[nodiscard]] std::size_t size() const { return to_.size(); }

 private:
  void put_byte(std::uint64_t value) { to_.push_back(static_cast<std::byte>(value & 0xFFU)); }
  void put_word(std::uint32_t value) {
    to_.resize(to_.size() + 4);
    replace_int(to_.size() - 4, static_cast<std::int64_t>(value));
  }

  std::vector<std::byte>& to_;
  std::uint64_t bits_ = 0;
  int held_ = 0;  // bits not yet in to_, fewer than 8
};

GridPoint grid_difference(const GridPoint& a, const GridPoint& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

bool is_within(const GridPoint& a, const GridPoint& b, std::int64_t bound) {
  const auto between = grid_difference(a, b);
  return std::ranges::all_of(between, [bound](std::int64_t x) { return std::abs(x) < bound; });
}

int bits_of(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64U);
  return high > 0 ? 64 + static_cast<int>(std::bit_width(high))
                  : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
}

/// Corners of the smallest box around a frame.
struct Extent {
  GridPoint least, most;
  [[nodiscard]] GridPoint sizes() const {
    return {most[0] - least[0] + 1, most[1] - least[1] + 1, most[2] - least[2] + 1};
  }
};

Extent find_extent(std::span<const GridPoint> grid) {
  Extent extent{grid[0], grid[0]};
  for (const auto& x : grid) {
    for (std::size_t d = 0; d < 3; ++d) {
      extent.least[d] = std::min(extent.least[d], x[d]);
      extent.most[d] = std::max(extent.most[d], x[d]);
    }
  }
  return extent;
}

/// Throws FileError for a frame whose extent has more than 31 bits.
void require_range(const Extent& extent, std::int64_t step, const std::filesystem::path& path) {
  for (std::size_t d = 0; d < 3; ++d) {
    const auto range = extent.most[d] - extent.least[d];
    if (range < most_steps) continue;
    throw storage::FileError(
        fmt::format("{}: the residues of step {} are up to {} nm apart, which does not fit an XTC "
                    "(use DCD, or --wrap)",
                    path.string(), step, static_cast<double>(range) / steps_per_nm));
  }
}

/// Returns the first width, by the smallest distance of residues that follow each other.
int first_width_of(std::span<const GridPoint> grid) {
  auto least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 1; i < grid.size(); ++i) {
    const auto between = grid_difference(grid[i], grid[i - 1]);
    least = std::min(least, std::abs(between[0]) + std::abs(between[1]) + std::abs(between[2]));
  }
  int width = first_width;
  while (width < last_width && widths[static_cast<std::size_t>(width)] < least) ++width;
  return width;
}

/// Writer of the bit stream. Two residues that follow each other closely are stored in exchanged
/// order, as the format demands.
class Stream {
 public:
  Stream(Packer& to, std::span<GridPoint> grid, const Extent& extent, int width)
      : to_(to),
        grid_(grid),
        extent_(extent),
        sizes_(extent.sizes()),
        width_(width),
        most_width_(std::min(last_width, width + 8)) {
    constexpr std::int64_t most_joint = 0xFFFFFF;
    is_joint_ = std::ranges::all_of(sizes_, [](std::int64_t size) { return size <= most_joint; });
    for (const auto size : sizes_) product_ *= static_cast<Wide>(size);
  }

  void write() {
    const auto count = grid_.size();
    std::size_t i = 0, previous_run = count;  // no run is that long
    while (i < count) {
      int change = first_change(i);
      bool is_close = i + 1 < count && is_within(grid_[i], grid_[i + 1], reach());
      if (is_close) std::swap(grid_[i], grid_[i + 1]);
      put_far(grid_[i]);
      if (!is_close && change < 0) change = 0;
      std::vector<GridPoint>& run = run_;
      run.clear();
      for (++i; is_close && run.size() < most_run; ++i) {
        const auto between = grid_difference(grid_[i], grid_[i - 1]);
        if (change < 0 && !is_small(between)) change = 0;
        run.push_back({between[0] + reach(), between[1] + reach(), between[2] + reach()});
        is_close = i + 1 < count && is_within(grid_[i + 1], grid_[i], reach());
      }
      put_run(run, change, run.size() != previous_run);
      previous_run = run.size();
      width_ += change;
    }
  }

 private:
  static constexpr std::size_t most_run = 8;

  [[nodiscard]] static std::int64_t half(int width) {
    return widths[static_cast<std::size_t>(std::max(width, first_width))] / 2;
  }
  /// Bound of a difference of the present width.
  [[nodiscard]] std::int64_t reach() const { return half(width_); }
  /// True if the next smaller width would hold the difference.
  [[nodiscard]] bool is_small(const GridPoint& d) const {
    const auto smaller = half(width_ - 1);
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < smaller * smaller;
  }
  /// Proposes the change of the width after residue i.
  [[nodiscard]] int first_change(std::size_t i) const {
    if (width_ < most_width_ && i > 0 && is_within(grid_[i], grid_[i - 1], half(most_width_)))
      return 1;
    return width_ > most_width_ - 8 ? -1 : 0;
  }
  void put_far(const GridPoint& x) {
    const auto from_corner = grid_difference(x, extent_.least);
    if (is_joint_) return to_.put_point(bits_of(product_), sizes_, from_corner);
    for (std::size_t d = 0; d < 3; ++d) {
      to_.put_bits(bits_of(static_cast<Wide>(sizes_[d])),
                   static_cast<std::uint64_t>(from_corner[d]));
    }
  }
  void put_run(std::span<const GridPoint> run, int change, bool is_new_length) {
    const bool is_told = is_new_length || change != 0;
    to_.put_bits(1, is_told ? 1 : 0);
    if (is_told) {
      to_.put_bits(5, 3 * run.size() + static_cast<std::size_t>(change + 1));
    }
    const auto size = widths[static_cast<std::size_t>(width_)];
    for (const auto& x : run) to_.put_point(width_, {size, size, size}, x);
  }

  Packer& to_;
  std::span<GridPoint> grid_;
  Extent extent_;
  GridPoint sizes_;
  int width_, most_width_;
  bool is_joint_ = true;
  Wide product_ = 1;
  std::vector<GridPoint> run_;
};

void put_compressed(Packer& to, std::span<GridPoint> grid) {
  to.put_float(steps_per_nm);
  const auto extent = find_extent(grid);
  for (const auto x : extent.least) to.put_int(x);
  for (const auto x : extent.most) to.put_int(x);
  const int width = first_width_of(grid);
  to.put_int(width);
  const auto length_at = to.size();
  to.put_int(0);
  const auto first = to.size();
  Stream(to, grid, extent, width).write();
  to.replace_int(length_at, to.end_bits(first));
}

}  // namespace

XtcWriter::XtcWriter(const std::filesystem::path& path, std::size_t residues,
                     const std::array<double, 3>& box_nm)
    : file_(path, storage::PosixFile::Mode::create), residues_(residues), box_nm_(box_nm) {
  if (residues > most_residues) {
    throw storage::FileError(fmt::format("{}: an XTC holds up to {} residues, found {} (use DCD)",
                                         path.string(), most_residues, residues));
  }
}

void XtcWriter::append_frame(std::int64_t step, double time_ps,
                             std::span<const std::array<float, 3>> positions_nm) {
  if (positions_nm.size() != residues_) {
    throw std::invalid_argument(
        fmt::format("{} positions for an XTC of {} residues", positions_nm.size(), residues_));
  }
  Packer packer(frame_);
  packer.put_int(xtc_magic);
  packer.put_int(static_cast<std::int64_t>(residues_));
  packer.put_int(std::min<std::int64_t>(step, std::numeric_limits<std::int32_t>::max()));
  packer.put_float(time_ps);
  for (std::size_t k = 0; k < 9; ++k) packer.put_float(k % 4 == 0 ? box_nm_[k / 4] : 0);
  packer.put_int(static_cast<std::int64_t>(residues_));
  grid_.resize(residues_);
  for (std::size_t i = 0; i < residues_; ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double at = static_cast<double>(positions_nm[i][d]) * steps_per_nm;
      if (!(std::abs(at) < static_cast<double>(most_steps))) {
        throw storage::FileError(fmt::format(
            "{}: {} nm, of residue {} at step {}, does not fit an XTC (use DCD, or --wrap)",
            file_.path().string(), positions_nm[i][d], i + 1, step));
      }
      grid_[i][d] = std::lround(at);
    }
  }
  if (residues_ > most_uncompressed) {
    require_range(find_extent(grid_), step, file_.path());
    put_compressed(packer, grid_);
  } else {
    for (const auto& x : positions_nm) {
      for (const float value : x) packer.put_float(static_cast<double>(value));
    }
  }
  file_.write_at(end_, frame_);
  end_ += static_cast<std::int64_t>(frame_.size());
}

}  // namespace nfold::io

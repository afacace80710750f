// Trajectory NAME.gsd: chunks of values, then their names and an index sorted by frame and name.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/gsd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string_view>

namespace nfold::io {

namespace {

// Layout of GSD 2.0 (Glotzer group, gsd.readthedocs.io, "File layer"), little-endian.
struct GsdHeader {
  std::uint64_t magic = 0x65DF65DF65DF65DF;
  std::uint64_t index_location = 0;
  std::uint64_t index_entries = 0;
  std::uint64_t names_location = 0;
  std::uint64_t names_blocks = 0;  // blocks of 64 bytes
  std::uint32_t schema_version = (1U << 16U) | 4U;
  std::uint32_t layout_version = 2U << 16U;
  std::array<char, 64> application{};
  std::array<char, 64> schema{};
  std::array<char, 80> unused{};
};
static_assert(sizeof(GsdHeader) == 256);

template <class T>
constexpr std::uint8_t gsd_type = 0;
template <>
constexpr std::uint8_t gsd_type<std::uint32_t> = 3;
template <>
constexpr std::uint8_t gsd_type<std::uint64_t> = 4;
template <>
constexpr std::uint8_t gsd_type<std::int8_t> = 5;
template <>
constexpr std::uint8_t gsd_type<std::int32_t> = 7;
template <>
constexpr std::uint8_t gsd_type<float> = 9;
template <>
constexpr std::uint8_t gsd_type<double> = 10;

const std::filesystem::path& require_box(const std::filesystem::path& path,
                                         const std::array<double, 3>& box_nm) {
  if (std::ranges::all_of(box_nm, [](double length) { return length > 0; })) return path;
  throw storage::FileError(
      fmt::format("{}: a GSD needs a box of three edges, found {} x {} x {} nm (use XTC or DCD)",
                  path.string(), box_nm[0], box_nm[1], box_nm[2]));
}

}  // namespace

GsdWriter::GsdWriter(const std::filesystem::path& path, const TrajectoryDescription& description)
    : file_(require_box(path, description.box_nm), storage::PosixFile::Mode::create),
      description_(description),
      end_(sizeof(GsdHeader)) {
  static_assert(sizeof(Entry) == 32);
}

template <class T>
void GsdWriter::append(const char* name, std::uint64_t rows, std::uint32_t columns,
                       std::span<const T> values) {
  static_assert(gsd_type<T> > 0);
  if (rows == 0) return;
  auto id = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
  if (id == names_.size()) names_.emplace_back(name);
  index_.push_back({frame_, rows, end_, columns, static_cast<std::uint16_t>(id), gsd_type<T>, 0});
  file_.write_at(end_, std::as_bytes(values));
  end_ += static_cast<std::int64_t>(values.size_bytes());
}

void GsdWriter::append_names(const char* name, const std::vector<std::string>& names) {
  std::size_t width = 1;
  for (const auto& text : names) width = std::max(width, text.size() + 1);
  std::vector<std::int8_t> fields(names.size() * width);
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::ranges::copy(names[k], fields.begin() + static_cast<std::ptrdiff_t>(k * width));
  }
  append<std::int8_t>(name, names.size(), static_cast<std::uint32_t>(width), fields);
}

void GsdWriter::append_topology() {
  const auto residues = description_.residue_count();
  const std::array<std::uint32_t, 1> count{static_cast<std::uint32_t>(residues)};
  append<std::uint32_t>("particles/N", 1, 1, count);
  std::map<std::string, std::uint32_t> types;
  for (const auto& name : description_.residue_names) types.try_emplace(name, 0);
  std::vector<std::string> type_names;
  for (auto& [name, type] : types) {
    type = static_cast<std::uint32_t>(type_names.size());
    type_names.push_back(name);
  }
  append_names("particles/types", type_names);
  std::vector<std::uint32_t> of_residue;
  std::vector<float> masses, charges;
  for (std::size_t i = 0; i < residues; ++i) {
    of_residue.push_back(types.at(description_.residue_names[i]));
    masses.push_back(static_cast<float>(description_.masses_amu[i]));
    charges.push_back(static_cast<float>(description_.charges_e[i]));
  }
  append<std::uint32_t>("particles/typeid", residues, 1, of_residue);
  append<float>("particles/mass", residues, 1, masses);
  append<float>("particles/charge", residues, 1, charges);
  std::vector<std::uint32_t> ends;
  for (const auto& [a, b] : description_.bonds) {
    ends.insert(ends.end(), {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
  }
  const auto bonds = ends.size() / 2;
  const std::array<std::uint32_t, 1> bond_count{static_cast<std::uint32_t>(bonds)};
  append<std::uint32_t>("bonds/N", 1, 1, bond_count);
  append_names("bonds/types", {"bond"});
  append<std::uint32_t>("bonds/typeid", bonds, 1, std::vector<std::uint32_t>(bonds, 0));
  append<std::uint32_t>("bonds/group", bonds, 2, ends);
}

void GsdWriter::append_frame(std::int64_t step, double time_ps,
                             std::span<const std::array<float, 3>> positions_nm) {
  const auto residues = description_.residue_count();
  const auto& box = description_.box_nm;
  std::vector<float> inside;
  std::vector<std::int32_t> images;
  inside.reserve(3 * residues);
  images.reserve(3 * residues);
  for (const auto& x : positions_nm) {
    for (std::size_t d = 0; d < 3; ++d) {
      double image = std::floor(static_cast<double>(x[d]) / box[d]);
      auto at = static_cast<float>(static_cast<double>(x[d]) - (image + 0.5) * box[d]);
      if (at >= static_cast<float>(box[d] / 2)) {  // rounding to float32
        image += 1;
        at = static_cast<float>(static_cast<double>(x[d]) - (image + 0.5) * box[d]);
      }
      inside.push_back(at);
      images.push_back(static_cast<std::int32_t>(image));
    }
  }
  append<std::uint64_t>("configuration/step", 1, 1, std::array{static_cast<std::uint64_t>(step)});
  append<double>("log/time_ps", 1, 1, std::array{time_ps});
  append<float>("particles/position", residues, 3, inside);
  append<std::int32_t>("particles/image", residues, 3, images);
  if (frame_ == 0) {
    append<float>("configuration/box", 6, 1,
                  std::array{static_cast<float>(box[0]), static_cast<float>(box[1]),
                             static_cast<float>(box[2]), 0.0F, 0.0F, 0.0F});
    append_topology();
  }
  ++frame_;
}

void GsdWriter::finish() {
  GsdHeader header;
  std::ranges::copy(std::string_view("nfold"), header.application.begin());
  std::ranges::copy(std::string_view("hoomd"), header.schema.begin());
  std::string names;
  for (const auto& name : names_) names += name + '\0';
  constexpr std::size_t block = 64;
  header.names_blocks = names.size() / block + 1;
  names.resize(header.names_blocks * block, '\0');
  header.names_location = static_cast<std::uint64_t>(end_);
  file_.write_at(end_, std::as_bytes(std::span(names)));
  end_ += static_cast<std::int64_t>(names.size());
  index_.emplace_back();  // an empty entry ends the index
  header.index_location = static_cast<std::uint64_t>(end_);
  header.index_entries = index_.size();
  file_.write_at(end_, std::as_bytes(std::span(index_)));
  file_.write_at(0, std::as_bytes(std::span(&header, 1)));
  file_.sync();
}

}  // namespace nfold::io

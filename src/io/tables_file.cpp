// Access to tables by name, and copies of whole groups.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/tables_file.hpp"

#include "io/hdf5_files.hpp"

namespace nfold::io {

using namespace storage;

namespace {

void copy_attributes(hid_t from, hid_t to, const std::string& what) {
  for (const char* name : {"first_step", "last_step", "every_steps", "frames"}) {
    write_attribute(to, name, read_attribute<std::int64_t>(from, name, what), what);
  }
  write_attribute(to, "time_step_ps", read_attribute<double>(from, "time_step_ps", what), what);
}

void copy_groups(const TablesFrom& part, hid_t to, const std::string& left_out,
                 const std::string& what) {
  const Hdf5File from(part.file);
  const auto group = make_group(to, part.group, what);
  copy_attributes(from.id, group, from.what);
  for (const auto& name : link_names(from.id, from.what)) {
    if (name == left_out) continue;
    check_hdf5(H5Ocopy(from.id, name.c_str(), group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), what,
               "copy " + name);
  }
}

}  // namespace

std::optional<std::vector<double>> read_table(const std::filesystem::path& file,
                                              const std::string& table) {
  const Hdf5File from(file);
  const auto slash = table.find('/');
  const auto subject = table.substr(0, slash), name = table.substr(slash + 1);
  if (!has_link(from.id, subject)) return std::nullopt;
  const auto group = open_group(from.id, subject, from.what);
  if (!has_link(group, name)) return std::nullopt;
  return read_dataset<double>(group, name, from.what);
}

void join_tables(const std::filesystem::path& path, const std::vector<TablesFrom>& parts,
                 const std::string& left_out) {
  write_hdf5_atomically(path, [&](hid_t file, const std::string& what) {
    write_text_attribute(file, "format", "nfold target", what);
    write_attribute(file, "format_version", std::int64_t{1}, what);
    for (const auto& part : parts) copy_groups(part, file, left_out, what);
  });
}

}  // namespace nfold::io

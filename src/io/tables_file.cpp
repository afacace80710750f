// Access to tables by name, and copies of whole groups.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/tables_file.hpp"

#include <system_error>

#include "core/storage/atomic_file.hpp"
#include "core/storage/hdf5_objects.hpp"

namespace nfold::io {

using namespace storage;

namespace {

/// An HDF5 file open for reading.
struct OpenTables {
  explicit OpenTables(const std::filesystem::path& path)
      : what(path.string()),
        file(path, PosixFile::Mode::read),
        storage(file, PosixFile::Mode::read),
        hdf5(open_hdf5(storage, what, Hdf5Access::read)) {}
  std::string what;
  PosixFile file;
  DirectStorage storage;
  Hdf5Id hdf5;
};

void copy_attributes(hid_t from, hid_t to, const std::string& what) {
  for (const char* name : {"first_step", "last_step", "every_steps", "frames"}) {
    write_attribute(to, name, read_attribute<std::int64_t>(from, name, what), what);
  }
  write_attribute(to, "time_step_ps", read_attribute<double>(from, "time_step_ps", what), what);
}

void copy_groups(const TablesFrom& part, hid_t to, const std::string& left_out,
                 const std::string& what) {
  const OpenTables from(part.file);
  const auto group = make_group(to, part.group, what);
  copy_attributes(from.hdf5, group, from.what);
  for (const auto& name : link_names(from.hdf5, from.what)) {
    if (name == left_out) continue;
    check_hdf5(H5Ocopy(from.hdf5, name.c_str(), group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
               what, "copy " + name);
  }
}

void write_joined(PosixFile& file, const std::vector<TablesFrom>& parts,
                  const std::string& left_out) {
  const std::string what = file.path().string();
  DirectStorage storage(file, PosixFile::Mode::create);
  {
    auto hdf5 = create_hdf5(storage, what);
    write_text_attribute(hdf5, "format", "nfold target", what);
    write_attribute(hdf5, "format_version", std::int64_t{1}, what);
    for (const auto& part : parts) copy_groups(part, hdf5, left_out, what);
    if (!hdf5.close()) throw FileError(what + ": HDF5 cannot close the file: " + hdf5_reason());
  }
  storage.check();
  file.sync();
}

}  // namespace

std::optional<std::vector<double>> read_table(const std::filesystem::path& file,
                                              const std::string& table) {
  const OpenTables from(file);
  const auto slash = table.find('/');
  const auto subject = table.substr(0, slash), name = table.substr(slash + 1);
  if (!has_link(from.hdf5, subject)) return std::nullopt;
  const auto group = open_group(from.hdf5, subject, from.what);
  if (!has_link(group, name)) return std::nullopt;
  return read_dataset<double>(group, name, from.what);
}

void join_tables(const std::filesystem::path& path, const std::vector<TablesFrom>& parts,
                 const std::string& left_out) {
  auto temporary = path;
  temporary += ".tmp";
  try {
    {
      PosixFile file(temporary, PosixFile::Mode::create);
      write_joined(file, parts, left_out);
    }
    rename_durably(temporary, path);
  } catch (const FileError&) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

}  // namespace nfold::io

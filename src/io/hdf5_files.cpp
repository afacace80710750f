// Opening and atomic writing of HDF5 files.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/hdf5_files.hpp"

#include "core/storage/atomic_file.hpp"

namespace nfold::io {

using namespace storage;

namespace {

void write_file(const std::filesystem::path& path,
                const std::function<void(hid_t file, const std::string& what)>& write) {
  const std::string what = path.string();
  PosixFile file(path, PosixFile::Mode::create);
  DirectStorage storage(file, PosixFile::Mode::create);
  {
    auto hdf5 = create_hdf5(storage, what);
    write(hdf5, what);
    if (!hdf5.close()) throw FileError(what + ": HDF5 cannot close the file: " + hdf5_reason());
  }
  storage.check();
  file.sync();
}

}  // namespace

Hdf5File::Hdf5File(const std::filesystem::path& path)
    : what(path.string()),
      file(path, PosixFile::Mode::read),
      storage(file, PosixFile::Mode::read),
      id(open_hdf5(storage, what, Hdf5Access::read)) {}

void write_hdf5_atomically(const std::filesystem::path& path,
                           const std::function<void(hid_t file, const std::string& what)>& write) {
  write_atomically(
      path, [&write](const std::filesystem::path& temporary) { write_file(temporary, write); });
}

}  // namespace nfold::io

// Files that are replaced atomically.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/storage/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <span>

#include "core/storage/posix_file.hpp"

namespace nfold::storage {

std::filesystem::path parent_folder(const std::filesystem::path& path) {
  const auto folder = path.parent_path();
  return folder.empty() ? std::filesystem::path(".") : folder;
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw make_file_error(folder, "open", errno);
  const int code = ::fsync(descriptor);
  const int error_number = errno;
  ::close(descriptor);
  // Network file systems may refuse to synchronise a folder; there the rename itself is durable.
  if (code != 0 && error_number == EIO) {
    throw make_file_error(folder, "bring to the disk", error_number);
  }
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    const std::string action = fmt::format("rename to {}", to.string());
    throw make_file_error(from, action.c_str(), errno);
  }
  sync_folder(parent_folder(to));
}

void write_atomically(const std::filesystem::path& path,
                      const std::function<void(const std::filesystem::path& temporary)>& write) {
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  try {
    write(temporary);
    rename_durably(temporary, path);
  } catch (const FileError&) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  write_atomically(path, [text](const std::filesystem::path& temporary) {
    PosixFile file(temporary, PosixFile::Mode::create);
    file.write_at(0, std::as_bytes(std::span(text.data(), text.size())));
    file.sync();
  });
}

void ignore_file_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

}  // namespace nfold::storage

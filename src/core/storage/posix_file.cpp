// File access by descriptor, with pread, pwrite and posix_fallocate.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/storage/posix_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace nfold::storage {

namespace {

const char* remedy_for(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free space there, or choose another folder with --output";
    case EFBIG:
      return "raise the limit on file sizes, ulimit -f, or write less often";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder that you may write to, with --output";
    case ENOENT:
      return "check the path";
    case ELOOP:
      return "a link leads back to itself, or stands where nfold writes: name the file itself";
    default:
      return "check the file system";
  }
}

int flags_of(PosixFile::Mode mode) {
  switch (mode) {
    case PosixFile::Mode::read:
      return O_RDONLY;
    case PosixFile::Mode::create:
      return O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW;
    case PosixFile::Mode::update:
      return O_RDWR | O_NOFOLLOW;
  }
  return O_RDONLY;
}

/// Repeats a system call that a signal interrupts.
template <class Call>
auto repeat_if_interrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Linux transfers at most 2 GiB a call.
constexpr std::size_t largest_transfer = std::size_t{1} << 30;

}  // namespace

FileError make_file_error(const std::filesystem::path& path, const char* action, int error_number) {
  const bool is_full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
  return FileError(
      fmt::format("{}: cannot {}: {} ({})", path.string(), action,
                  std::generic_category().message(error_number), remedy_for(error_number)),
      is_full ? core::Outcome::disk : core::Outcome::failure);
}

std::filesystem::path require_regular_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw FileError(path.string() +
                    ": is a link or no regular file, and nfold writes a file of this name (move it "
                    "away, or choose another folder with --output)");
  }
  return path;
}

PosixFile::PosixFile(std::filesystem::path path, Mode mode)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), flags_of(mode) | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail(mode == Mode::create ? "create" : "open", errno);
}

PosixFile::~PosixFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

PosixFile::PosixFile(PosixFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

void PosixFile::fail(const char* action, int error_number) const {
  throw make_file_error(path_, action, error_number);
}

std::size_t PosixFile::read_at(std::int64_t offset, std::span<std::byte> to) const {
  std::size_t done = 0;
  while (done < to.size()) {
    const auto count = repeat_if_interrupted([&] {
      return ::pread(descriptor_, to.data() + done, std::min(to.size() - done, largest_transfer),
                     offset + static_cast<std::int64_t>(done));
    });
    if (count < 0) fail("read", errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  std::fill(to.begin() + static_cast<std::ptrdiff_t>(done), to.end(), std::byte{0});
  return done;
}

void PosixFile::write_at(std::int64_t offset, std::span<const std::byte> from) {
  std::size_t done = 0;
  while (done < from.size()) {
    const auto count = repeat_if_interrupted([&] {
      return ::pwrite(descriptor_, from.data() + done,
                      std::min(from.size() - done, largest_transfer),
                      offset + static_cast<std::int64_t>(done));
    });
    if (count < 0) fail("write", errno);
    done += static_cast<std::size_t>(count);
  }
}

void PosixFile::truncate(std::int64_t size) {
  const int code = repeat_if_interrupted([&] { return ::ftruncate(descriptor_, size); });
  if (code != 0) fail("change the size of", errno);
}

void PosixFile::reserve(std::int64_t size) {
  if (size <= 0) return;
  int code = 0;
  do {
    code = ::posix_fallocate(descriptor_, 0, size);
  } while (code == EINTR);
  // Some file systems cannot reserve space: there the write itself detects a full disk.
  if (code != 0 && code != EINVAL && code != EOPNOTSUPP && code != ENOSYS) {
    const std::string action = fmt::format("reserve {} bytes", size);
    fail(action.c_str(), code);
  }
}

void PosixFile::sync() {
  const int code = repeat_if_interrupted([&] { return ::fsync(descriptor_); });
  // EINVAL: the descriptor cannot be synchronised, such as a pipe.
  if (code != 0 && errno != EINVAL) fail("bring to the disk", errno);
}

std::int64_t PosixFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("inspect", errno);
  return status.st_size;
}

}  // namespace nfold::storage

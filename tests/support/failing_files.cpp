// Preloaded library in which the n-th change of files in one folder fails.
// SPDX-License-Identifier: BSD-3-Clause
//
// NFOLD_FAILS_IN: absolute path of the folder; all changes below it count.
// NFOLD_KILLED_AT: change, from 1, at which the process is killed. A write counts as two changes,
// because half of it may reach the file.
// NFOLD_DISK_FULL_AT: change from which on the disk is full; files can still be renamed and
// removed. NFOLD_SYNC_FAILS_AT: fsync of a file that fails with EIO.
//
// Writes of libraries through stdio are not counted, only the opening of the file. Tests compare no
// content of those files (NAME.log).
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_below_folder(const char* path) {
  static const char* const folder = std::getenv("NFOLD_FAILS_IN");
  if (folder == nullptr) return false;
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error).lexically_normal().string();
  return absolute.starts_with(std::string(folder) + "/");
}

bool is_below_folder(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  std::error_code error;
  const auto link = "/proc/self/fd/" + std::to_string(descriptor);
  return is_below_folder(std::filesystem::read_symlink(link, error).c_str());
}

/// Number in the environment variable; 0 if it is not set.
long read_number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atol(text);
}

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

/// Counts a change. True if the process is killed at it.
bool is_killed_now() {
  static const long killed_at = read_number("NFOLD_KILLED_AT");
  static std::atomic<long> changes{0};
  return ++changes == killed_at;
}

/// Counts a change that takes disk space. True, with errno set, if the disk is full.
bool is_full_now() {
  static const long full_at = read_number("NFOLD_DISK_FULL_AT");
  static std::atomic<long> changes{0};
  if (full_at == 0 || ++changes < full_at) return false;
  errno = ENOSPC;
  return true;
}

/// Counts an fsync. True, with errno set, if it fails.
bool is_sync_failing_now() {
  static const long fails_at = read_number("NFOLD_SYNC_FAILS_AT");
  static std::atomic<long> syncs{0};
  if (++syncs != fails_at) return false;
  errno = EIO;
  return true;
}

template <class Name>
void count_change(Name name) {
  if (is_below_folder(name) && is_killed_now()) die();
}

/// Counts a change that takes disk space. False if the disk is full.
bool has_disk_space() {
  if (is_killed_now()) die();
  return !is_full_now();
}

template <class Name>
bool may_grow(Name name) {
  return !is_below_folder(name) || has_disk_space();
}

/// write_some(n) writes the first n bytes.
template <class WriteSome>
ssize_t write_or_fail(int descriptor, size_t size, WriteSome write_some) {
  if (is_below_folder(descriptor)) {
    if (!has_disk_space()) return -1;
    if (is_killed_now()) {
      write_some(size / 2);
      die();
    }
  }
  return write_some(size);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const auto mode = (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(list, int)) : mode_t{0};
  va_end(list);
  if ((flags & (O_CREAT | O_TRUNC)) != 0 && !may_grow(path)) return -1;
  return next<int(const char*, int, ...)>("open")(path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  if (std::strpbrk(mode, "wa+") != nullptr && !may_grow(path)) return nullptr;
  return next<FILE*(const char*, const char*)>("fopen")(path, mode);
}

int rename(const char* from, const char* to) noexcept {
  count_change(to);
  return next<int(const char*, const char*)>("rename")(from, to);
}

int link(const char* from, const char* to) noexcept {
  count_change(to);
  return next<int(const char*, const char*)>("link")(from, to);
}

int unlink(const char* path) noexcept {
  count_change(path);
  return next<int(const char*)>("unlink")(path);
}

int remove(const char* path) noexcept {
  count_change(path);
  return next<int(const char*)>("remove")(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (!may_grow(path)) return -1;
  return next<int(const char*, mode_t)>("mkdir")(path, mode);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  const auto write_some = [&](size_t some) {
    return next<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, some);
  };
  return write_or_fail(descriptor, size, write_some);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
  const auto write_some = [&](size_t some) {
    return next<ssize_t(int, const void*, size_t, off_t)>("pwrite")(descriptor, bytes, some,
                                                                    offset);
  };
  return write_or_fail(descriptor, size, write_some);
}

int ftruncate(int descriptor, off_t size) noexcept {
  if (!may_grow(descriptor)) return -1;
  return next<int(int, off_t)>("ftruncate")(descriptor, size);
}

int fsync(int descriptor) {
  if (is_below_folder(descriptor) && is_sync_failing_now()) return -1;
  return next<int(int)>("fsync")(descriptor);
}

// 64-bit aliases, as in the C library of a system whose off_t has 64 bits.
static_assert(sizeof(off_t) == sizeof(off64_t));
[[gnu::alias("open")]] int open64(const char* path, int flags, ...);
[[gnu::alias("fopen")]] FILE* fopen64(const char* path, const char* mode);
[[gnu::alias("pwrite")]] ssize_t pwrite64(int descriptor, const void* bytes, size_t size,
                                          off64_t offset);
[[gnu::alias("ftruncate")]] int ftruncate64(int descriptor, off64_t size) noexcept;

}  // extern "C"

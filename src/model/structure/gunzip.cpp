// Decompression of gzip in memory, member by member, with the position of damage.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/gunzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>

#include "model/structure/structure.hpp"

namespace nfold::structure {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 20;
constexpr std::size_t mebibyte = std::size_t{1} << 20;

[[noreturn]] void fail_gzip(const std::string& name, std::size_t byte, const std::string& what) {
  throw StructureError(fmt::format("{}: {} at byte {} of the gzip file; copy or download it again",
                                   name, what, byte));
}

/// Passes the text to take(part) chunk by chunk.
template <class Take>
void inflate_all(std::string_view bytes, const std::string& name, Take&& take) {
  constexpr int gzip_only = 16 + MAX_WBITS;
  z_stream stream{};
  if (inflateInit2(&stream, gzip_only) != Z_OK) {
    throw StructureError(fmt::format("{}: zlib could not be started (out of memory?)", name));
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, &inflateEnd);
  std::string part(chunk, '\0');
  std::size_t fed = 0;
  while (true) {
    if (stream.avail_in == 0) {
      const std::size_t piece = std::min(chunk, bytes.size() - fed);
      // zlib's interface predates const; it does not write through next_in.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + fed));
      stream.avail_in = static_cast<uInt>(piece);
      fed += piece;
    }
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(chunk);
    const int code = inflate(&stream, Z_NO_FLUSH);
    const std::size_t at = fed - stream.avail_in;
    take(std::string_view(part).substr(0, chunk - stream.avail_out), at);
    if (code == Z_STREAM_END) {
      if (at == bytes.size()) return;
      if (!is_gzip(bytes.substr(at))) fail_gzip(name, at, "bytes that are not gzip follow the end");
      inflateReset(&stream);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      fail_gzip(name, at, "damaged data");
    } else if (at == bytes.size() && stream.avail_out != 0) {
      fail_gzip(name, at, "the file is cut off");
    }
  }
}

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

std::string gunzip(std::string_view bytes, const std::string& name, std::size_t largest_bytes) {
  // The size is counted first, so that a gzip bomb takes no memory and a text no more than its
  // size.
  std::size_t size = 0;
  inflate_all(bytes, name, [&](std::string_view part, std::size_t at) {
    size += part.size();
    if (size <= largest_bytes) return;
    throw StructureError(fmt::format(
        "{}: the gzip file unpacks to more than {} MiB, the most that nfold unpacks ({} bytes so "
        "far, from the first {} of {}); if this is the right file, unpack it with gunzip and give "
        "the unpacked one",
        name, largest_bytes / mebibyte, size, at, bytes.size()));
  });
  std::string text;
  text.reserve(size);
  inflate_all(bytes, name, [&](std::string_view part, std::size_t) { text += part; });
  return text;
}

}  // namespace nfold::structure

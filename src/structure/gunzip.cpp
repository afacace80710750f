// Unpacks gzip in memory, member by member, and says where it is damaged.
// SPDX-License-Identifier: BSD-3-Clause
#include "structure/gunzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>

#include "structure/structure.hpp"

namespace nfold::structure {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 20;
// Above any structure of ten million residues; a file that unpacks to more is not one.
constexpr std::size_t largest_text = std::size_t{1} << 34;

[[noreturn]] void fail_gzip(const std::string& name, std::size_t byte, const std::string& what) {
  throw StructureError(fmt::format("{}: {} at byte {} of the gzip file; copy or download it again",
                                   name, what, byte));
}

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

std::string gunzip(std::string_view bytes, const std::string& name) {
  constexpr int gzip_only = 16 + MAX_WBITS;
  z_stream stream{};
  if (inflateInit2(&stream, gzip_only) != Z_OK) {
    throw StructureError(fmt::format("{}: zlib could not be started (out of memory?)", name));
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, &inflateEnd);
  std::string text;
  std::size_t fed = 0;
  while (true) {
    if (stream.avail_in == 0) {
      const std::size_t part = std::min(chunk, bytes.size() - fed);
      // zlib's interface predates const; it does not write through next_in.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + fed));
      stream.avail_in = static_cast<uInt>(part);
      fed += part;
    }
    const std::size_t had = text.size();
    text.resize(had + chunk);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + had);
    stream.avail_out = static_cast<uInt>(chunk);
    const int code = inflate(&stream, Z_NO_FLUSH);
    text.resize(had + chunk - stream.avail_out);
    const std::size_t at = fed - stream.avail_in;
    if (text.size() > largest_text) fail_gzip(name, at, "more than 16 GiB of text");
    if (code == Z_STREAM_END) {
      if (at == bytes.size()) return text;
      if (!is_gzip(bytes.substr(at))) fail_gzip(name, at, "bytes that are not gzip follow the end");
      inflateReset(&stream);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      fail_gzip(name, at, "damaged data");
    } else if (at == bytes.size() && stream.avail_out != 0) {
      fail_gzip(name, at, "the file is cut off");
    }
  }
}

}  // namespace nfold::structure

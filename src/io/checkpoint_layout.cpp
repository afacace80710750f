// Seal and checksums of a checkpoint file.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checkpoint_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/storage/checksum.hpp"

namespace nfold::io {

namespace checkpoint_layout {

namespace {

constexpr std::array<char, 8> seal_magic = {'N', 'F', 'O', 'L', 'D', 'C', 'K', '1'};
constexpr std::int64_t block_bytes = std::int64_t{1} << 20;

}  // namespace

std::uint64_t header_checksum(const CheckpointHeader& header) {
  std::vector<std::uint64_t> words{static_cast<std::uint64_t>(format_version)};
  for_each_number(header, [&words](const char* /*attribute*/, auto number) {
    words.push_back(static_cast<std::uint64_t>(number));
  });
  return storage::checksum(std::as_bytes(std::span(words)));
}

Seal make_seal(std::int64_t file_bytes, std::uint64_t contents) {
  Seal seal{seal_magic, static_cast<std::uint64_t>(file_bytes), contents, 0};
  seal.own = storage::checksum(std::as_bytes(std::span(&seal, 1)).first(offsetof(Seal, own)));
  return seal;
}

void write_seal(storage::PosixFile& file, const Seal& seal) {
  std::vector<std::byte> block(seal_bytes);
  std::ranges::copy(std::as_bytes(std::span(&seal, 1)), block.begin());
  file.write_at(0, block);
}

std::uint64_t contents_checksum(const storage::PosixFile& file, std::int64_t file_bytes, int first,
                                int stride) {
  std::vector<std::byte> block(block_bytes);
  std::uint64_t sum = 0;
  for (std::int64_t start = seal_bytes + first * block_bytes; start < file_bytes;
       start += stride * block_bytes) {
    const auto length = static_cast<std::size_t>(std::min(block_bytes, file_bytes - start));
    const auto part = std::span(block).first(length);
    if (file.read_at(start, part) != length) {
      throw storage::FileError(fmt::format("{}: ends before byte {} of {}", file.path().string(),
                                           start + static_cast<std::int64_t>(length), file_bytes));
    }
    sum += storage::checksum(part, static_cast<std::uint64_t>(start / 8));
  }
  return sum;
}

bool has_seal(const storage::PosixFile& file) {
  decltype(Seal::magic) begin{};
  file.read_at(0, std::as_writable_bytes(std::span(begin)));
  return begin == seal_magic;
}

std::string describe_fault(const storage::PosixFile& file) {
  const auto bytes = file.size();
  if (bytes < seal_bytes) return fmt::format("torn: {} bytes are no checkpoint", bytes);
  Seal seal{};
  std::vector<std::byte> block(seal_bytes);
  file.read_at(0, block);
  std::ranges::copy(std::span(block).first(sizeof seal),
                    std::as_writable_bytes(std::span(&seal, 1)).begin());
  if (seal.magic != seal_magic) return "not a checkpoint, or written only in part: no seal";
  if (seal.own != make_seal(static_cast<std::int64_t>(seal.file_bytes), seal.contents).own) {
    return "damaged: the seal's checksum does not fit it";
  }
  const auto rest = std::span(block).subspan(sizeof seal);
  if (std::ranges::any_of(rest, [](std::byte b) { return b != std::byte{0}; })) {
    return "damaged: the block of the seal holds more than the seal";
  }
  if (seal.file_bytes != static_cast<std::uint64_t>(bytes)) {
    return fmt::format("torn: {} bytes instead of {}", bytes, seal.file_bytes);
  }
  if (contents_checksum(file, bytes, 0, 1) != seal.contents) {
    return "damaged: the checksum over the file does not fit its bytes";
  }
  return {};
}

void require_complete(const storage::PosixFile& file) {
  if (const auto fault = describe_fault(file); !fault.empty()) {
    throw storage::FileError(file.path().string() + ": " + fault);
  }
}

}  // namespace checkpoint_layout

std::filesystem::path previous_checkpoint_path(const std::filesystem::path& path) {
  auto previous = path;
  previous.replace_extension();
  previous += ".prev";
  previous += path.extension();
  return previous;
}

bool checkpoint_exists(const std::filesystem::path& path) {
  return std::filesystem::exists(path) || std::filesystem::exists(previous_checkpoint_path(path));
}

}  // namespace nfold::io

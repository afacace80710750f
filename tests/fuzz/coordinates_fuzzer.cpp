// Any bytes as coordinates: CSV, GRO or DCD by the first byte; finite positions, or an InputError.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "core/input_error.hpp"
#include "io/coordinate_text.hpp"
#include "io/dcd_reader.hpp"

namespace {

using nfold::system::BeadFrame;

void expect_usable(const BeadFrame& frame) {
  bool holds =
      !frame.positions_nm.empty() &&
      (frame.residue_names.empty() || frame.residue_names.size() == frame.positions_nm.size());
  for (const auto& x_nm : frame.positions_nm) {
    for (const double x : x_nm) holds = holds && std::isfinite(x);
  }
  for (const double edge : frame.box_nm) holds = holds && std::isfinite(edge) && edge >= 0;
  if (holds) return;
  std::fprintf(stderr, "coordinates were accepted that are not usable\n");
  std::abort();
}

void parse_dcd(std::span<const std::byte> bytes) {
  const auto layout = nfold::io::parse_dcd_header(bytes, "fuzz");
  auto left = bytes.subspan(static_cast<std::size_t>(layout.header_bytes));
  left = left.first(std::min(left.size(), static_cast<std::size_t>(layout.frame_bytes())));
  expect_usable(nfold::io::parse_dcd_frame(left, layout, "fuzz", 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    switch (data[0] % 3) {
      case 0:
        expect_usable(nfold::io::parse_coordinate_csv(text, "fuzz"));
        break;
      case 1: {
        const nfold::io::GroFile gro(text, "fuzz");
        for (std::int64_t frame = 0; frame < gro.frame_count(); ++frame) {
          expect_usable(gro.frame(frame));
        }
        break;
      }
      default:
        parse_dcd(std::as_bytes(std::span(text)));
    }
  } catch (const nfold::core::InputError&) {
    return 0;
  }
  return 0;
}

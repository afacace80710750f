// Hard core distance of each pair of types, from the short-range potential.
// SPDX-License-Identifier: BSD-3-Clause

#include "model/start/hard_core.hpp"

#include <algorithm>

namespace nfold::start {
HardCore::HardCore(const topology::Topology& topology, double fraction) {
  const auto& form = topology.short_range;
  int last_type = 0;
  for (const auto& residue : topology.residues) last_type = std::max(last_type, residue.type);
  types_ = static_cast<std::size_t>(last_type) + 1;
  squared_.reserve(types_ * types_);
  for (int a = 0; a <= last_type; ++a) {
    for (int b = 0; b <= last_type; ++b) {
      const double distance = pair_forms::with_form(
          form.form, [&](auto one) { return one.hard_core_nm(form, a, b, fraction); });
      largest_nm_ = std::max(largest_nm_, distance);
      squared_.push_back(distance * distance);
    }
  }
}

}  // namespace nfold::start

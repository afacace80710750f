// External forces of a CALVADOS folder: OpenMM expressions that a field of nfold can express.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

#include "system/bias/external_field.hpp"

namespace nfold::calvados {

/// Returns the field of an OpenMM expression, without species: a product of numbers, step(d - w),
/// d, abs(d), d^2 and (d - c)^2, where d is periodicdistance(x, y, z, ...) from a plane, a line or
/// a point, by a name or written out. None for any other expression.
[[nodiscard]] std::optional<bias::ExternalField> to_external_field(std::string_view expression);

}  // namespace nfold::calvados

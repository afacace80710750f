// Selection of the kernel that advances resident replicas.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/cuda/resident_steps.hpp"
#include "replicas/cuda/resident_roles.hpp"

namespace nfold::replicas {

template <class Contact>
using ResidentKernel = void(kernels::ResidentRun<Contact>);

/// Returns a kernel for go models. A step takes less time if the width is a compile-time constant:
/// for the widths of one, some and many small proteins. Positions in counts are rare and have one
/// kernel per layout.
template <class Contact>
[[nodiscard]] ResidentKernel<Contact>* go_model_kernel(
    const ResidentRoles& roles, int width, kernels::ResidentPositionFormat position_format) {
  using kernels::ThreadLayout, kernels::ResidentPositionFormat, kernels::advance_resident;
  constexpr auto specialised = ThreadLayout::specialised, uniform = ThreadLayout::uniform;
  constexpr auto floats = ResidentPositionFormat::floats, counts = ResidentPositionFormat::counts;
  if (position_format == counts) {
    return roles.layout == specialised ? advance_resident<specialised, counts, 2, -1, Contact>
                                       : advance_resident<uniform, counts, 4, -1, Contact>;
  }
  if (roles.layout == specialised) {
    if (roles.rows > 1) return advance_resident<specialised, floats, 2, -1, Contact>;
    return width == 1 ? advance_resident<specialised, floats, 1, 0, Contact>
                      : advance_resident<specialised, floats, 1, -1, Contact>;
  }
  if (roles.rows > 1) {
    return width == 32 ? advance_resident<uniform, floats, 4, 5, Contact>
                       : advance_resident<uniform, floats, 4, -1, Contact>;
  }
  return width == 8 ? advance_resident<uniform, floats, 1, 3, Contact>
                    : advance_resident<uniform, floats, 1, -1, Contact>;
}

/// Returns a kernel for sticky chains, whose pairs take most of the time.
template <class Contact>
[[nodiscard]] ResidentKernel<Contact>* sticky_kernel(
    const ResidentRoles& roles, kernels::ResidentPositionFormat position_format) {
  using kernels::ThreadLayout, kernels::ResidentPositionFormat, kernels::advance_resident;
  constexpr auto uniform = ThreadLayout::uniform;
  constexpr auto floats = ResidentPositionFormat::floats, counts = ResidentPositionFormat::counts;
  if (position_format == counts) return advance_resident<uniform, counts, 4, -1, Contact>;
  return roles.rows > 1 ? advance_resident<uniform, floats, 4, -1, Contact>
                        : advance_resident<uniform, floats, 1, -1, Contact>;
}

template <class Contact>
[[nodiscard]] ResidentKernel<Contact>* resident_kernel(
    const ResidentRoles& roles, [[maybe_unused]] int width,
    kernels::ResidentPositionFormat position_format) {
  if constexpr (kernels::ResidentModel<Contact>::is_sticky) {
    return sticky_kernel<Contact>(roles, position_format);
  } else {
    return go_model_kernel<Contact>(roles, width, position_format);
  }
}

}  // namespace nfold::replicas

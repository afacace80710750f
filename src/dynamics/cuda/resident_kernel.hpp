// The kernel that advances resident replicas in a given shape.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dynamics/cuda/resident_roles.hpp"
#include "kernels/cuda/resident_steps.hpp"

namespace nfold::dynamics {

template <class Contact>
using ResidentKernel = void(kernels::ResidentRun<Contact>);

/// Of a width that is known a step takes less: those of one, some and many small proteins are.
template <class Contact>
[[nodiscard]] ResidentKernel<Contact>* resident_kernel(const ResidentRoles& roles, int width) {
  using kernels::ResidentForm, kernels::advance_resident;
  constexpr auto crew = ResidentForm::crew, crowd = ResidentForm::crowd;
  if (roles.form == crew) {
    if (roles.rows > 1) return advance_resident<crew, 2, -1, Contact>;
    return width == 1 ? advance_resident<crew, 1, 0, Contact>
                      : advance_resident<crew, 1, -1, Contact>;
  }
  if (roles.rows > 1) {
    return width == 32 ? advance_resident<crowd, 4, 5, Contact>
                       : advance_resident<crowd, 4, -1, Contact>;
  }
  return width == 8 ? advance_resident<crowd, 1, 3, Contact>
                    : advance_resident<crowd, 1, -1, Contact>;
}

}  // namespace nfold::dynamics

// List of all forms of the short-range potential.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <stdexcept>
#include <tuple>

#include "system/pair_forms/ashbaugh_hatch.hpp"
#include "system/pair_forms/kim_hummer.hpp"
#include "system/pair_forms/repulsion_12.hpp"
#include "system/pair_forms/tabulated_pairs.hpp"
#include "system/pair_forms/wang_frenkel.hpp"

namespace nfold::pair_forms {

/// Indices into PairForms. Append new forms: the topology hash contains the number.
enum class ShortRangeForm : int {
  repulsion_12,
  ashbaugh_hatch,
  wang_frenkel,
  kim_hummer,
  tabulated
};
using PairForms = std::tuple<Repulsion12, AshbaughHatch, WangFrenkel, KimHummer, TabulatedPairs>;

inline constexpr std::size_t form_count = std::tuple_size_v<PairForms>;
static_assert(static_cast<std::size_t>(ShortRangeForm::tabulated) + 1 == form_count,
              "the last name belongs to the last form");

/// Calls visit(Form{}) with the given form and returns its result.
template <std::size_t index = 0, class Visit>
decltype(auto) with_form(ShortRangeForm form, const Visit& visit) {
  if (static_cast<std::size_t>(form) == index)
    return visit(std::tuple_element_t<index, PairForms>{});
  if constexpr (index + 1 < form_count) {
    return with_form<index + 1>(form, visit);
  } else {
    throw std::logic_error("no such form of a short-range potential");
  }
}

}  // namespace nfold::pair_forms

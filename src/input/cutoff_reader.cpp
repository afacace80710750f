// Keys of the end of a pair potential.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/cutoff_reader.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "core/document/scalars.hpp"

namespace nfold::input {

using document::shown;
using pair_forms::CutoffForm;

namespace {

constexpr double longest_range_nm = 50;

/// Returns N of "N*sigma"; nullopt for another text.
std::optional<double> times_sigma(std::string_view text) {
  constexpr std::string_view end = "sigma";
  if (!text.ends_with(end)) return std::nullopt;
  text.remove_suffix(end.size());
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (!text.ends_with('*')) return std::nullopt;
  text.remove_suffix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return document::to_real(text);
}

bool is_switched(CutoffForm form) {
  return form == CutoffForm::smooth_step || form == CutoffForm::force_matched;
}

}  // namespace

void read_cutoff(Numbers& numbers, SectionKeys& section, Cutoff& cutoff, bool may_follow_sigma) {
  const Range range = above(0, longest_range_nm);
  const std::string accepted = describe(range) + (may_follow_sigma ? " [nm], or 4*sigma" : " [nm]");
  const bool has_one = cutoff.cutoff_nm > 0 || cutoff.over_sigma > 0;
  const auto* const node =
      has_one ? section.find("cutoff_nm") : section.require("cutoff_nm", accepted);
  if (node != nullptr) {
    const auto over_sigma = may_follow_sigma ? times_sigma(node->text) : std::nullopt;
    if (over_sigma && !(*over_sigma > 0 && *over_sigma <= longest_range_nm)) {
      section.complain(*node, fmt::format("{} = {}", section.path("cutoff_nm"), shown(*node)),
                       "must be " + accepted);
    }
    cutoff.over_sigma = over_sigma.value_or(0);
    cutoff.cutoff_nm =
        over_sigma ? 0 : numbers.number(*node, section.path("cutoff_nm"), range).value_or(1);
  }
  cutoff.form = static_cast<CutoffForm>(
      section.choice("cutoff_form", cutoff_form_names, static_cast<std::size_t>(cutoff.form)));
  if (!is_switched(cutoff.form)) {
    cutoff.switch_nm = 0;
    const auto* const given = section.find("switch_nm");
    const auto* const form = document::find_entry(section.node(), "cutoff_form");
    // A form of an extending file takes the place of a base's switch.
    if (given != nullptr && (form == nullptr || form->source >= given->source)) {
      section.complain(*given, section.path("switch_nm") + " without a switch",
                       "give cutoff_form: smooth-step or force-matched, or leave it out");
    }
    return;
  }
  const auto* const start = section.require("switch_nm", describe(range) + " [nm]");
  if (start == nullptr) return;
  cutoff.switch_nm = numbers.number(*start, section.path("switch_nm"), range).value_or(0);
  if (cutoff.over_sigma > 0 || cutoff.switch_nm >= cutoff.cutoff_nm) {
    section.complain(*start, fmt::format("{} = {}", section.path("switch_nm"), shown(*start)),
                     "must be less than cutoff_nm, which must be a number");
  }
}

void apply_shift(ModelFlag& option, Cutoff& cutoff) {
  if (option == ModelFlag::by_model) {
    if (cutoff.form == CutoffForm::truncated) option = ModelFlag::no;
    if (cutoff.form == CutoffForm::shifted) option = ModelFlag::yes;
    return;
  }
  cutoff.form = option == ModelFlag::yes ? CutoffForm::shifted : CutoffForm::truncated;
  cutoff.switch_nm = 0;
}

}  // namespace nfold::input

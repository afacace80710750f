// Sum of the parts of a step.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/step_model.hpp"

#include <algorithm>
#include <numeric>

namespace nfold::estimate {
namespace {

constexpr double microsecond = 1e-6, nanosecond = 1e-9;

/// Returns the number of neighbours of the mean row, both lists.
double neighbours_of(const StepDemand& demand) {
  return demand.residues > 0 ? (demand.pairs + demand.charge_pairs) / demand.residues : 0;
}

double far_residues_of(const StepDemand& demand) {
  return std::max(0.0, demand.residues - near_residues);
}

/// Returns pointers to the coefficients in the order of fits.
template <class Coefficients>
auto fitted_members(Coefficients& step) {
  std::array<decltype(&step.launch_us), fitted_count> members{&step.launch_us, &step.residue_ns,
                                                              &step.term_ns};
  for (std::size_t form = 0; form < pair_form_count; ++form) {
    members.at(3 + form) = &step.pair_ns.at(form);
  }
  members[3 + pair_form_count] = &step.charge_pair_ns;
  members[4 + pair_form_count] = &step.neighbour_ns;
  members[5 + pair_form_count] = &step.far_residue_ns;
  return members;
}

}  // namespace

std::string_view pair_form_name(std::size_t form) {
  return pair_forms::with_form(static_cast<pair_forms::ShortRangeForm>(form),
                               [](auto one) { return decltype(one)::machine_key; });
}

std::array<StepTime::Part, 8> StepTime::parts() const {
  return {{{"launch", "launches: the system is too small for the device", launch},
           {"residues", "integration and lists", residues},
           {"terms", "bonded terms and contacts", terms},
           {"pairs", "short-range pairs", pairs},
           {"charge_pairs", "pairs of charges", charge_pairs},
           {"ghosts", "ghosts: borders between ranks", ghosts},
           {"exchange", "latency between ranks", exchange},
           {"network", "the network between nodes", network}}};
}

double StepTime::seconds() const {
  double sum = 0;
  for (const Part& part : parts()) sum += part.seconds;
  return sum;
}

std::string_view StepTime::bottleneck() const {
  const auto all = parts();
  return std::ranges::max_element(all, {}, &Part::seconds)->words;
}

StepTime step_time(const StepCoefficients& coefficients, const StepDemand& demand,
                   const NetworkSpeed& network, int ranks_per_node) {
  const double wider = demand.is_in_full_precision ? coefficients.full_precision_factor : 1;
  const double slower = wider * (ranks_per_node > 1 ? coefficients.crowding : 1);
  StepTime time;
  time.launch = microsecond * coefficients.launch_us +
                nanosecond * slower * coefficients.neighbour_ns * neighbours_of(demand);
  time.residues = nanosecond * slower *
                  (coefficients.residue_ns * demand.residues +
                   coefficients.far_residue_ns * far_residues_of(demand));
  time.terms = nanosecond * slower * coefficients.term_ns * demand.term_work;
  time.pairs = nanosecond * slower * coefficients.pair_ns.at(demand.pair_form) * demand.pairs;
  time.charge_pairs = nanosecond * slower * coefficients.charge_pair_ns * demand.charge_pairs;
  time.ghosts = nanosecond * wider * coefficients.ghost_ns * demand.ghosts;
  const int near_peers = demand.peers - demand.far_peers;
  if (near_peers > 0) {
    time.exchange =
        microsecond * (coefficients.exchange_us + coefficients.message_us * (near_peers - 1));
  }
  if (demand.far_peers > 0) {
    const double share = network.bytes_per_second / std::max(1, ranks_per_node);
    time.network = microsecond * (network.latency_us + coefficients.exchange_us +
                                  coefficients.message_us * (demand.far_peers - 1)) +
                   demand.sent_to_far_bytes / share;
  }
  return time;
}

const StepDemand& slowest_rank(const StepCoefficients& coefficients,
                               std::span<const StepDemand> ranks, const NetworkSpeed& network,
                               int ranks_per_node) {
  return *std::ranges::max_element(ranks, {}, [&](const StepDemand& rank) {
    return step_time(coefficients, rank, network, ranks_per_node).seconds();
  });
}

std::vector<double> rank_step_seconds(const StepCoefficients& coefficients,
                                      std::span<const StepDemand> ranks,
                                      std::span<const double> speed, std::span<const int> node,
                                      const NetworkSpeed& network) {
  const double mean = std::accumulate(speed.begin(), speed.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(1, speed.size()));
  std::vector<double> seconds;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto on_node = node.empty() ? std::ssize(ranks) : std::ranges::count(node, node[rank]);
    const auto time = step_time(coefficients, ranks[rank], network, static_cast<int>(on_node));
    const double waiting = time.launch + time.exchange + time.network;
    const double relative = speed.empty() ? 1 : speed[rank] / mean;
    seconds.push_back(waiting + (time.seconds() - waiting) / relative);
  }
  return seconds;
}

std::array<double, fitted_count> fitted_amounts(const StepDemand& demand) {
  constexpr double thousand = 1e-3;  // ns per unit to us per step
  std::array<double, fitted_count> amounts{};
  amounts[0] = 1;
  amounts[1] = thousand * demand.residues;
  amounts[2] = thousand * demand.term_work;
  amounts.at(3 + demand.pair_form) = thousand * demand.pairs;
  amounts[3 + pair_form_count] = thousand * demand.charge_pairs;
  amounts[4 + pair_form_count] = thousand * neighbours_of(demand);
  amounts[5 + pair_form_count] = thousand * far_residues_of(demand);
  return amounts;
}

std::array<double, fitted_count> fitted_values(const StepCoefficients& coefficients) {
  std::array<double, fitted_count> values{};
  const auto members = fitted_members(coefficients);
  std::ranges::transform(members, values.begin(), [](const double* member) { return *member; });
  return values;
}

void set_fitted_values(StepCoefficients& coefficients,
                       const std::array<double, fitted_count>& values) {
  const auto members = fitted_members(coefficients);
  for (std::size_t k = 0; k < fitted_count; ++k) *members.at(k) = values.at(k);
}

}  // namespace nfold::estimate

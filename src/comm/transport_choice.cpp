// Choice of the fastest transport, and its description.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/transport_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace nfold::comm {

namespace {

constexpr double counts_as_equal = 1.1;

std::vector<TransportTrial> possible(const std::vector<TransportTrial>& trials) {
  std::vector<TransportTrial> left;
  for (const auto& trial : trials) {
    if (trial.obstacle.empty()) left.push_back(trial);
  }
  return left;
}

}  // namespace

std::string name_of(Transport transport) {
  switch (transport) {
    case Transport::peer_memory:
      return "peer memory";
    case Transport::peer_memory_and_nccl:
      return "peer memory within nodes and NCCL between them";
    case Transport::nccl:
      return "NCCL";
    case Transport::mpi_device:
      return "MPI from GPU memory";
    case Transport::mpi:
      return "MPI through the host";
    case Transport::automatic:
      break;
  }
  throw std::invalid_argument("automatic is no transport");
}

double TransportTrial::typical_microseconds() const {
  if (microseconds.empty()) return 0;
  double sum_of_logarithms = 0;
  for (const double time : microseconds) sum_of_logarithms += std::log(time);
  return std::exp(sum_of_logarithms / static_cast<double>(microseconds.size()));
}

Transport choose(Transport wish, const std::vector<TransportTrial>& trials) {
  if (wish != Transport::automatic) {
    const auto requested = std::find_if(trials.begin(), trials.end(), [wish](const auto& trial) {
      return trial.transport == wish;
    });
    if (requested == trials.end()) {
      throw std::invalid_argument(name_of(wish) + " did not come into question");
    }
    if (requested->obstacle.empty()) return wish;
    throw std::runtime_error(
        fmt::format("{} cannot be used: {} (partition.transport: auto takes what is possible)",
                    name_of(wish), requested->obstacle));
  }
  const auto able = possible(trials);
  if (able.empty()) throw std::invalid_argument("no transport is possible");
  if (able.size() == 1) return able.front().transport;
  double least = able.front().typical_microseconds();
  for (const auto& trial : able) {
    if (trial.microseconds.empty()) {
      throw std::invalid_argument(name_of(trial.transport) + " was not measured");
    }
    least = std::min(least, trial.typical_microseconds());
  }
  const auto taken = std::find_if(able.begin(), able.end(), [least](const auto& trial) {
    return trial.typical_microseconds() <= counts_as_equal * least;
  });
  return taken->transport;
}

std::string describe_choice(Transport chosen, const std::vector<TransportTrial>& trials) {
  std::vector<std::string> measured, obstacles;
  for (const auto& trial : trials) {
    const auto name = name_of(trial.transport);
    if (!trial.obstacle.empty()) {
      obstacles.push_back(fmt::format("no {}: {}", name, trial.obstacle));
    } else if (!trial.microseconds.empty()) {
      measured.push_back(fmt::format("{} {:.3g}", name, fmt::join(trial.microseconds, " and ")));
    }
  }
  std::string text = name_of(chosen);
  if (!measured.empty()) {
    text += fmt::format(" (microseconds for {} residues to a neighbour: {})",
                        fmt::join(trial_residues, " and "), fmt::join(measured, ", "));
  }
  for (const auto& obstacle : obstacles) text += "; " + obstacle;
  return text;
}

}  // namespace nfold::comm

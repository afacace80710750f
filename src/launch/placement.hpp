// Where ranks go: on what a scheduler gave, or this node, without what is left out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "launch/allocation.hpp"
#include "launch/device_health.hpp"

namespace nfold::launch {

/// What failed before; GPUs by UUID.
struct LeftOut {
  std::vector<std::string> devices, hosts;
  [[nodiscard]] bool has_device(const std::string& uuid) const;
  [[nodiscard]] bool has_host(const std::string& host) const;
};

struct NodePlace {
  std::string host;  ///< empty: this node, and no launcher needs to be told
  int ranks = 0;
  std::vector<std::string> devices;  ///< UUIDs that its ranks may see; empty: all
  bool operator==(const NodePlace&) const = default;
};
struct Placement {
  std::vector<NodePlace> nodes;
  [[nodiscard]] int ranks() const;
  [[nodiscard]] std::string in_words() const;  ///< "4 ranks on this node"
};

/// asked: 0: all that is there, which is a rank for each fit GPU, or one rank on a node where none
/// is known. health: empty where nothing is known. A rank that lost its GPU goes, unless another
/// GPU is free; ranks that shared GPUs from the start go on sharing. No rank is placed where all is
/// unfit.
[[nodiscard]] Placement place(int asked, const Allocation& given,
                              const std::vector<NodeHealth>& health, const LeftOut& left_out);

}  // namespace nfold::launch

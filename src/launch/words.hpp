// What mpirun, srun and nfold say on standard error: who died, where, of what.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace nfold::launch {

struct Words {
  std::optional<int> rank;       ///< the first that died, by whoever names one
  std::string host;              ///< of that rank
  std::optional<int> signal;     ///< it died of
  std::optional<int> exit_code;  ///< it ended with
  std::string lost_host;         ///< a node that does not answer any more
  std::string not_started;       ///< why no rank began, in the launcher's words
  std::string error;             ///< nfold's own first error
  std::string seen;              ///< the line that named the rank, or the node
  std::deque<std::string> last_lines;
};

/// Reads line by line; remembers the last ones.
class WordsReader {
 public:
  static constexpr std::size_t kept_lines = 20;
  void read(std::string_view line);
  [[nodiscard]] const Words& words() const { return words_; }

 private:
  void read_open_mpi(const std::string& line);
  void read_slurm(const std::string& line);
  void read_hydra(const std::string& line);
  void read_nfold(const std::string& line);
  void blame(int rank, const std::string& line);

  Words words_;
};

}  // namespace nfold::launch

// All-atom models: a file and a call of PULCHRA for each chain, joined into models.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/all_atom.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/lines.hpp"
#include "core/parse_number.hpp"
#include "core/storage/posix_file.hpp"
#include "core/text.hpp"
#include "io/structure_files.hpp"
#include "system/cell_list.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to programs

namespace nfold::cli {

namespace {

using storage::FileError;

constexpr double clash_nm = 0.2;

/// Folder that is removed at the end.
class WorkFolder {
 public:
  WorkFolder() {
    auto name = (std::filesystem::temp_directory_path() / "nfold-pulchra-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw storage::make_file_error(name, "make the folder", errno);
    }
    path_ = name;
  }
  ~WorkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs `pulchra chain.pdb` in the folder, which writes chain.rebuilt.pdb.
void run_pulchra(const WorkFolder& folder) {
  std::filesystem::remove(folder / "chain.rebuilt.pdb");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, (folder / ".").c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "log", O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  std::string program = "pulchra", input = "chain.pdb";
  const std::array<char*, 3> words{program.data(), input.data(), nullptr};
  pid_t process = -1;
  const int error_number =
      posix_spawnp(&process, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error_number != 0) {
    throw FileError(
        fmt::format("--all-atom: cannot start the command pulchra: {} (install PULCHRA, such as by "
                    "pip install pulchra, and put it into PATH)",
                    std::strerror(error_number)));
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0 && std::filesystem::exists(folder / "chain.rebuilt.pdb")) return;
  const auto log = read_text(folder / "log");
  throw FileError(fmt::format("--all-atom: pulchra failed: {} (try it on the PDB of --pdb)",
                              core::in_quotes(core::trim(log.substr(
                                  log.size() - std::min<std::size_t>(log.size(), 300))))));
}

/// Range of the residues of a chain.
struct Chain {
  std::size_t first = 0, count = 0;
};

std::vector<Chain> find_chains(const io::TrajectoryDescription& description) {
  std::vector<Chain> chains;
  const auto of_residue = io::chain_indices(description);
  for (std::size_t i = 0; i < of_residue.size(); ++i) {
    if (of_residue[i] == chains.size()) chains.push_back({i, 0});
    ++chains.back().count;
  }
  return chains;
}

void require_rebuildable(const io::TrajectoryDescription& description,
                         const std::vector<Chain>& chains) {
  static const std::set<std::string> known{"ALA", "ARG", "ASN", "ASP", "CYS", "GLN", "GLU",
                                           "GLY", "HIS", "ILE", "LEU", "LYS", "MET", "PHE",
                                           "PRO", "SER", "THR", "TRP", "TYR", "VAL"};
  for (std::size_t i = 0; i < description.residue_count(); ++i) {
    if (known.contains(description.residue_names[i])) continue;
    throw FileError(fmt::format(
        "--all-atom: residue {} of chain {} is {}; expected one of the "
        "twenty amino acids, which PULCHRA rebuilds",
        description.residue_numbers[i], description.chain_names[i], description.residue_names[i]));
  }
  for (const auto& chain : chains) {
    constexpr std::size_t most = 9999, fewest = 4;
    if (chain.count >= fewest && chain.count <= most) continue;
    throw FileError(fmt::format("--all-atom: chain {} has {} residues; expected {} to {}",
                                description.chain_names[chain.first], chain.count, fewest, most));
  }
}

/// Description of a single chain, with residues numbered from 1.
io::TrajectoryDescription describe_chain(const io::TrajectoryDescription& all, const Chain& chain) {
  io::TrajectoryDescription one;
  for (std::size_t k = 0; k < chain.count; ++k) {
    one.residue_names.push_back(all.residue_names[chain.first + k]);
    one.residue_numbers.push_back(static_cast<int>(k) + 1);
    one.chain_names.push_back("A");
  }
  return one;
}

/// Atoms of a model.
struct Model {
  std::string text;
  std::vector<std::array<double, 3>> x_nm;
  std::vector<std::size_t> residue;  ///< residue of each atom
};

/// Adds the atoms of a chain that PULCHRA wrote.
void add_chain(const io::TrajectoryDescription& description, const Chain& chain, char letter,
               std::string_view rebuilt, Model& model) {
  constexpr std::size_t shortest = 54;  // columns up to z
  core::Lines lines(rebuilt);
  while (lines.next()) {
    const auto line = lines.line();
    if (!line.starts_with("ATOM") || line.size() < shortest) continue;
    const auto number = core::parse_number<std::size_t>(core::trim(line.substr(22, 4)));
    std::array<double, 3> x{};
    bool is_whole = number && *number >= 1 && *number <= chain.count;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto angstrom = core::parse_number<double>(core::trim(line.substr(30 + 8 * d, 8)));
      is_whole &= angstrom.has_value();
      x[d] = angstrom.value_or(0) / 10;
    }
    if (!is_whole) {
      throw FileError(fmt::format("--all-atom: pulchra wrote {}; expected an ATOM of a PDB",
                                  core::in_quotes(line)));
    }
    const auto residue = chain.first + *number - 1;
    model.x_nm.push_back(x);
    model.residue.push_back(residue);
    const auto name = line.substr(12, 4);
    fmt::format_to(std::back_inserter(model.text),
                   "ATOM  {:>5} {} {:>3.3} {}{:>4}    {}  1.00  0.00           {}\n",
                   io::hybrid_36(std::ssize(model.x_nm), 5), name,
                   description.residue_names[residue], letter,
                   io::hybrid_36(description.residue_numbers[residue], 4), line.substr(30, 24),
                   core::trim(name).front());
  }
  model.text += "TER\n";
}

std::int64_t count_clashes(const io::TrajectoryDescription& description, const Model& model) {
  if (model.x_nm.empty()) return 0;
  std::int64_t clashes = 0;
  const system::CellList cells(system::Box{description.box_nm}, model.x_nm, clash_nm);
  cells.for_each_pair([&](int i, int j) {
    const auto a = model.residue[static_cast<std::size_t>(i)];
    const auto b = model.residue[static_cast<std::size_t>(j)];
    const bool are_neighbours =
        (a > b ? a - b : b - a) <= 1 && description.chain_names[a] == description.chain_names[b];
    if (!are_neighbours) ++clashes;
  });
  return clashes;
}

}  // namespace

AllAtomCounts write_all_atom(const std::filesystem::path& path, const io::ExportedFrames& frames) {
  static constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const auto& description = frames.description();
  const auto chains = find_chains(description);
  require_rebuildable(description, chains);
  const WorkFolder folder;
  AllAtomCounts counts;
  const auto rebuild = [&](std::int64_t frame) {
    const auto x_nm = frames.positions_nm(frame);
    Model model;
    for (std::size_t k = 0; k < chains.size(); ++k) {
      const auto own = std::span(x_nm).subspan(chains[k].first, chains[k].count);
      io::write_pdb(folder / "chain.pdb", describe_chain(description, chains[k]), own);
      run_pulchra(folder);
      add_chain(description, chains[k], letters[k % letters.size()],
                read_text(folder / "chain.rebuilt.pdb"), model);
    }
    counts.atoms += std::ssize(model.x_nm);
    counts.clashes += count_clashes(description, model);
    return model.text;
  };
  io::write_in_parts(path, [&](const io::Append& append) {
    append("REMARK   1 ALL ATOMS REBUILT BY PULCHRA FROM ONE BEAD A RESIDUE OF NFOLD\n");
    for (std::int64_t frame = 0; frame < frames.count(); ++frame) {
      const auto text = rebuild(frame);
      append(frames.count() == 1 ? text
                                 : fmt::format("MODEL     {:>4}\n{}ENDMDL\n", frame + 1, text));
    }
    append("END\n");
  });
  return counts;
}

}  // namespace nfold::cli

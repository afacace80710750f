// Parser and application of mutations.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/mutation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "model/structure/fasta.hpp"
#include "model/structure/raw_residue.hpp"
#include "model/structure/residue_kind.hpp"
#include "model/structure/residue_ranges.hpp"
#include "model/structure/tally.hpp"

namespace nfold::structure {
namespace {

constexpr const char* mutation_syntax =
    "expected CHAIN:OLD NUMBER NEW without blanks, as in A:R65K or A:S26=SEP; the chain may be "
    "left "
    "out if there is only one";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
}

/// Parts of a text: "A", "S", "26", ' ', "SEP".
struct Mutation {
  std::string chain;  ///< empty: the only one
  std::string old_name, number;
  char insertion_code = ' ';
  std::string new_name;
};

class MutationParser {
 public:
  MutationParser(const std::string& subject, const std::string& text)
      : subject_(subject), text_(text) {}

  Mutation parse() const {
    Mutation mutation;
    std::string_view rest = text_;
    if (const auto colon = rest.find(':'); colon != std::string_view::npos) {
      mutation.chain = std::string(rest.substr(0, colon));
      if (mutation.chain.empty()) fail();
      rest.remove_prefix(colon + 1);
    }
    const auto take = [&rest](std::string& to, const auto& accepts) {
      while (!rest.empty() && accepts(rest.front())) {
        to += rest.front();
        rest.remove_prefix(1);
      }
    };
    take(mutation.old_name, [](char c) { return is_name_letter(c) && !is_digit(c); });
    if (!rest.empty() && rest.front() == '-') {
      mutation.number = "-";
      rest.remove_prefix(1);
    }
    take(mutation.number, is_digit);
    if (mutation.old_name.empty() || mutation.number.empty() || mutation.number == "-") fail();
    const auto equals = rest.find('=');
    const std::string_view code = rest.substr(0, equals == std::string_view::npos && !rest.empty()
                                                     ? rest.size() - 1
                                                     : std::min(equals, rest.size()));
    if (code.size() > 1 || (code.size() == 1 && !is_name_letter(code[0]))) fail();
    if (code.size() == 1) mutation.insertion_code = code[0];
    rest.remove_prefix(code.size() + (equals == std::string_view::npos ? 0 : 1));
    if (rest.empty() || !std::ranges::all_of(rest, is_name_letter)) fail();
    mutation.new_name = std::string(rest);
    return mutation;
  }

 private:
  [[noreturn]] void fail() const {
    throw StructureError(fmt::format("{} {}: {}", subject_, in_quotes(text_), mutation_syntax));
  }

  const std::string& subject_;
  const std::string& text_;
};

bool is_named(const Residue& residue, const std::string& name, bool is_protein) {
  if (name == residue.name || name == residue.file_name) return true;
  return is_protein && name.size() == 1 && to_residue_name(name[0]) == residue.name;
}

/// Gives the residue another name, and the parent of this.
void rename(Residue& residue, const std::string& name, bool is_protein) {
  const std::string letter = is_protein && name.size() == 1 ? to_residue_name(name[0]) : "";
  if (!letter.empty()) {
    residue.name = residue.file_name = letter;
    return;
  }
  const std::string parent = is_protein ? residue_kind(name).parent : std::string();
  residue.name = parent.empty() || parent == "UNK" ? name : parent;
  residue.file_name = name;
  residue.is_named = true;
}

}  // namespace

void mutate(Structure& structure, const std::vector<std::string>& mutations) {
  const std::string subject = structure.name + ": mutation";
  std::vector<Residue*> residues;
  std::vector<const Chain*> chain_of;
  std::vector<LabelledChain> chains;
  for (Chain& chain : structure.chains) {
    chains.push_back({chain.name,
                      {},
                      static_cast<int>(residues.size()),
                      static_cast<int>(chain.residues.size())});
    for (Residue& residue : chain.residues) {
      residues.push_back(&residue);
      chain_of.push_back(&chain);
    }
  }
  const ResidueFinder finder(subject, std::move(chains), [&residues](int index) {
    const Residue& residue = *residues[static_cast<std::size_t>(index)];
    return ResidueLabel{residue.number, residue.insertion_code};
  });
  std::set<int> mutated;
  Tally done;
  for (const std::string& text : mutations) {
    const Mutation mutation = MutationParser(subject, text).parse();
    std::string place = mutation.number;
    if (mutation.insertion_code != ' ') place += mutation.insertion_code;
    // A range of one residue, since a number alone may be the name of a chain.
    place = (mutation.chain.empty() ? "" : mutation.chain + ":") + place + "-" + place;
    const std::vector<int> found = finder.find_whole(place);
    if (found.size() != 1) {
      throw StructureError(
          fmt::format("{} {}: {} residues have this number; add the insertion code", subject,
                      in_quotes(text), found.size()));
    }
    Residue& residue = *residues[static_cast<std::size_t>(found.front())];
    const Chain& chain = *chain_of[static_cast<std::size_t>(found.front())];
    const bool is_protein = chain.kind == "protein";
    const std::string label =
        describe_residue(residue.file_name.empty() ? residue.name : residue.file_name,
                         residue.number, residue.insertion_code, chain.name);
    if (!mutated.insert(found.front()).second) {
      throw StructureError(
          fmt::format("{} {}: {} for the second time; keep one", subject, in_quotes(text), label));
    }
    if (!is_named(residue, mutation.old_name, is_protein)) {
      throw StructureError(fmt::format("{} {}: the residue there is {}; correct the number, or {}",
                                       subject, in_quotes(text), label, mutation.old_name));
    }
    rename(residue, mutation.new_name, is_protein);
    done.add(text + (residue.heavy_atoms.empty() ? "" : " at the coordinates of " + label));
  }
  done.note("mutated residues", structure.notes);
}

}  // namespace nfold::structure

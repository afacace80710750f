// Reader of mmCIF files: gemmi's grammar, with actions that keep only the atoms.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <gemmi/cif.hpp>
#include <utility>

#include "model/structure/atom_site.hpp"
#include "model/structure/entity_sequences.hpp"
#include "model/structure/quality_metrics.hpp"
#include "model/structure/raw_residue.hpp"

namespace nfold::structure {
namespace {

namespace rules = gemmi::cif::rules;
namespace pegtl = tao::pegtl;

struct Tables {
  AtomSite atoms;
  EntitySequences sequences;
  QualityMetrics metrics;
};

// gemmi's own actions store every value of every table as a string: 5 GB for a million residues.
template <typename Rule>
struct CollectAtoms : pegtl::nothing<Rule> {};

template <typename Input>
std::string_view view(const Input& in) {
  return {in.begin(), in.size()};
}
template <typename Input>
long line_of(const Input& in) {
  return static_cast<long>(in.iterator().line);
}

template <>
struct CollectAtoms<rules::datablockname> {
  template <typename Input>
  static void apply(const Input&, Tables& tables) {
    tables.atoms.begin_block();
  }
};
template <>
struct CollectAtoms<rules::str_loop> {
  template <typename Input>
  static void apply(const Input& in, Tables& tables) {
    tables.atoms.begin_loop();
    tables.sequences.begin_loop();
    tables.metrics.begin_loop(line_of(in));
  }
};
template <>
struct CollectAtoms<rules::loop_tag> {
  template <typename Input>
  static void apply(const Input& in, Tables& tables) {
    tables.atoms.tag(view(in), line_of(in));
    tables.sequences.tag(view(in));
    tables.metrics.tag(view(in));
  }
};
template <>
struct CollectAtoms<rules::loop_value> {
  template <typename Input>
  static void apply(const Input& in, Tables& tables) {
    tables.atoms.value(view(in), line_of(in));
    tables.sequences.value(view(in));
    tables.metrics.value(view(in), line_of(in));
  }
};
template <>
struct CollectAtoms<rules::loop> {
  template <typename Input>
  static void apply(const Input& in, Tables& tables) {
    tables.atoms.end_loop(line_of(in));
    tables.metrics.end_loop(line_of(in));
  }
};
template <>
struct CollectAtoms<rules::missing_value> {
  template <typename Input>
  static void apply(const Input& in, Tables&) {
    throw pegtl::parse_error("tag without value", in);
  }
};
template <>
struct CollectAtoms<rules::item_tag> {
  template <typename Input>
  static void apply(const Input& in, Tables& tables) {
    tables.atoms.pair_tag(view(in), line_of(in));
    tables.metrics.pair_tag(view(in), line_of(in));
  }
};
template <>
struct CollectAtoms<rules::item_value> {
  template <typename Input>
  static void apply(const Input& in, Tables& tables) {
    tables.metrics.pair_value(view(in));
  }
};

void parse_tables(std::string_view text, const std::string& name, Tables& tables) {
  try {
    pegtl::memory_input<> input(text.data(), text.size(), name);
    pegtl::parse<rules::file, CollectAtoms, gemmi::cif::Errors>(input, tables);
  } catch (const pegtl::parse_error& error) {
    const auto& where = error.positions().front();
    throw StructureError(
        fmt::format("{}:{}:{}: {} in mmCIF; the file is cut off or damaged here, "
                    "copy or download it again",
                    name, where.line, where.column, error.message()));
  }
}

}  // namespace

RawStructure read_mmcif(std::string_view text, const std::string& name, int model) {
  Tables tables{AtomSite(name, model), {}, QualityMetrics(name)};
  parse_tables(text, name, tables);
  RawStructure raw = tables.atoms.finish();
  raw.sequences = tables.sequences.chain_sequences(tables.atoms.entities());
  raw.prediction = tables.metrics.finish(model);
  return raw;
}

ConfidenceTable read_mmcif_metrics(std::string_view text, const std::string& name, int model) {
  Tables tables{AtomSite(name, model), {}, QualityMetrics(name)};
  parse_tables(text, name, tables);
  return std::move(tables.metrics.finish(model).metrics);
}

}  // namespace nfold::structure

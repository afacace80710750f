// Writes one checkpoint known in closed form, for the test of tools/read_checkpoint.py.
// SPDX-License-Identifier: BSD-3-Clause

#include <exception>
#include <iostream>

#include "../../mpi/io/checkpoint_fixture.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_checkpoint FILE\n";
    return 1;
  }
  try {
    auto header = nfold::test::make_header(11, 42);
    header.provenance["host"] = "here";
    nfold::test::write_checkpoint(nfold::comm::Communicator(), argv[1], header,
                                  nfold::test::whole_state(11, 42));
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 1;
  }
  return 0;
}

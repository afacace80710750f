// Function on a stack of its own, which can be suspended and resumed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

namespace nfold::replicas {

/// Must be used by one thread. The function must not throw.
class OwnStack {
 public:
  /// Throws std::bad_alloc if there is no memory for a stack.
  explicit OwnStack(std::function<void()> function);
  /// The function must not have been entered, or must have ended.
  ~OwnStack();
  OwnStack(const OwnStack&) = delete;
  OwnStack& operator=(const OwnStack&) = delete;

  /// Runs the function until it calls leave() or ends. Not to be called from within it.
  void enter();
  /// Suspends the function, from within it: returns to the caller of enter().
  void leave();
  [[nodiscard]] bool has_ended() const;

 private:
  struct Fibers;  // hides Boost.Context
  std::unique_ptr<Fibers> fibers_;
};

}  // namespace nfold::replicas

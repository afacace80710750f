// A function on a stack of its own, which can be left in its middle and gone on with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

namespace nfold::replicas {

/// Of one thread. The function must not throw.
class OwnStack {
 public:
  /// std::bad_alloc without memory for a stack.
  explicit OwnStack(std::function<void()> function);
  /// Of a function that has not been entered, or has ended.
  ~OwnStack();
  OwnStack(const OwnStack&) = delete;
  OwnStack& operator=(const OwnStack&) = delete;

  /// Goes to the function, until it calls leave() or ends. Not from within it.
  void enter();
  /// From within the function: back to who called enter().
  void leave();
  [[nodiscard]] bool has_ended() const;

 private:
  struct Fibers;  // of Boost.Context, which only the implementation needs
  std::unique_ptr<Fibers> fibers_;
};

}  // namespace nfold::replicas

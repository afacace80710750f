// A function on a stack of its own, which can be left in its middle and gone on with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>

namespace nfold::replicas {

/// Of one thread. The function must not throw.
class OwnStack {
 public:
  /// std::system_error without memory for a stack.
  explicit OwnStack(std::function<void()> function);
  /// Of a function that has not been entered, or has ended.
  ~OwnStack();
  OwnStack(const OwnStack&) = delete;
  OwnStack& operator=(const OwnStack&) = delete;

  /// Goes to the function, until it calls leave() or ends. Not from within it.
  void enter();
  /// From within the function: back to who called enter().
  void leave();
  [[nodiscard]] bool has_ended() const { return has_ended_; }

 private:
  /// The last one; a context takes no pointer along.
  static OwnStack*& entered();
  static void start();

  std::function<void()> function_;
  std::byte* memory_;  // guard page first
  ucontext_t inside_{}, outside_{};
  bool has_ended_ = false;
  // What the address sanitizer has to know of both stacks.
  void* fake_inside_ = nullptr;
  void* fake_outside_ = nullptr;
  const void* outside_bottom_ = nullptr;
  std::size_t outside_size_ = 0;
};

}  // namespace nfold::replicas

// Memory with a guard page, POSIX contexts, and the address sanitizer told of both.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/own_stack.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define NFOLD_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NFOLD_ADDRESS_SANITIZER
#endif
#endif
#ifdef NFOLD_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace nfold::replicas {
namespace {

constexpr std::size_t stack_bytes = std::size_t{16}
                                    << 20U;  // twice a thread's usual; taken as used

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

void begin_switch([[maybe_unused]] void** keeps_fake, [[maybe_unused]] const void* bottom,
                  [[maybe_unused]] std::size_t size) {
#ifdef NFOLD_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(keeps_fake, bottom, size);
#endif
}
void end_switch([[maybe_unused]] void* fake, [[maybe_unused]] const void** old_bottom,
                [[maybe_unused]] std::size_t* old_size) {
#ifdef NFOLD_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(fake, old_bottom, old_size);
#endif
}

}  // namespace

OwnStack::OwnStack(std::function<void()> function) : function_(std::move(function)) {
  void* const memory = mmap(nullptr, page_bytes() + stack_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "memory for a stack of 16 MiB");
  }
  memory_ = static_cast<std::byte*>(memory);
  if (mprotect(memory_, page_bytes(), PROT_NONE) != 0 || getcontext(&inside_) != 0) {
    const int reason = errno;
    (void)munmap(memory_, page_bytes() + stack_bytes);
    throw std::system_error(reason, std::generic_category(), "a stack of its own");
  }
  inside_.uc_stack.ss_sp = memory_ + page_bytes();
  inside_.uc_stack.ss_size = stack_bytes;
  inside_.uc_link = nullptr;
  makecontext(&inside_, start, 0);
}

OwnStack::~OwnStack() { (void)munmap(memory_, page_bytes() + stack_bytes); }

OwnStack*& OwnStack::entered() {
  static thread_local OwnStack* stack = nullptr;
  return stack;
}

void OwnStack::start() {
  auto* const self = entered();
  end_switch(nullptr, &self->outside_bottom_, &self->outside_size_);
  self->function_();
  self->function_ = {};
  self->has_ended_ = true;
  begin_switch(nullptr, self->outside_bottom_, self->outside_size_);
  setcontext(&self->outside_);
}

void OwnStack::enter() {
  entered() = this;
  begin_switch(&fake_outside_, inside_.uc_stack.ss_sp, inside_.uc_stack.ss_size);
  swapcontext(&outside_, &inside_);
  end_switch(fake_outside_, nullptr, nullptr);
}

void OwnStack::leave() {
  begin_switch(&fake_inside_, outside_bottom_, outside_size_);
  swapcontext(&inside_, &outside_);
  end_switch(fake_inside_, &outside_bottom_, &outside_size_);
}

}  // namespace nfold::replicas

// Fiber of Boost.Context, with address sanitizer annotations for both stacks.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/own_stack.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstddef>
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

constexpr std::size_t stack_bytes =
    std::size_t{16} << 20U;  // twice a thread's usual stack; pages are committed on use

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

/// Stack allocator that records the position of the stack.
struct NotedStack {
  boost::context::protected_fixedsize_stack stack{stack_bytes};
  boost::context::stack_context* noted;
  boost::context::stack_context allocate() { return *noted = stack.allocate(); }
  void deallocate(boost::context::stack_context& context) { stack.deallocate(context); }
};

}  // namespace

struct OwnStack::Fibers {
  boost::context::stack_context stack;
  boost::context::fiber inside, outside;
  std::function<void()> function;
  bool has_ended = false;
  // Address sanitizer state of both stacks.
  void* fake_inside = nullptr;
  void* fake_outside = nullptr;
  const void* outside_bottom = nullptr;
  std::size_t outside_size = 0;

  boost::context::fiber run(boost::context::fiber&& caller) {
    outside = std::move(caller);
    end_switch(nullptr, &outside_bottom, &outside_size);
    function();
    function = {};
    has_ended = true;
    begin_switch(nullptr, outside_bottom, outside_size);
    return std::move(outside);
  }
};

OwnStack::OwnStack(std::function<void()> function) : fibers_(std::make_unique<Fibers>()) {
  fibers_->function = std::move(function);
  fibers_->inside = boost::context::fiber(std::allocator_arg, NotedStack{.noted = &fibers_->stack},
                                          [fibers = fibers_.get()](boost::context::fiber&& caller) {
                                            return fibers->run(std::move(caller));
                                          });
}

OwnStack::~OwnStack() = default;

bool OwnStack::has_ended() const { return fibers_->has_ended; }

void OwnStack::enter() {
  auto& f = *fibers_;
  const auto* const top = static_cast<const std::byte*>(f.stack.sp);
  begin_switch(&f.fake_outside, top - f.stack.size, f.stack.size);
  f.inside = std::move(f.inside).resume();
  end_switch(f.fake_outside, nullptr, nullptr);
}

void OwnStack::leave() {
  auto& f = *fibers_;
  begin_switch(&f.fake_inside, f.outside_bottom, f.outside_size);
  f.outside = std::move(f.outside).resume();
  end_switch(f.fake_inside, &f.outside_bottom, &f.outside_size);
}

}  // namespace nfold::replicas

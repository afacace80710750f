// Cooperative scheduling of tasks on their own stacks.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "device/launch.hpp"
#include "replicas/own_stack.hpp"
#include "replicas/resident_launch.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "device/cuda/work_stream.hpp"
#endif

namespace nfold::replicas {
namespace {

constexpr std::chrono::microseconds pause(100);

#ifdef KOKKOS_ENABLE_CUDA

/// A work's stream, used for its copies too.
using device::WorkStream;

#else

/// Dynamic loop over threads, because items take unequal times.
template <class Item>
void loop_over_threads(int items, const Item& item) {
  const int threads = std::min(device::loop_threads(), items);
  if (threads <= 1) {
    for (int k = 0; k < items; ++k) item(k);
    return;
  }
  using OneByOne = Kokkos::Schedule<Kokkos::Dynamic>;
  Kokkos::parallel_for("replicas",
                       Kokkos::RangePolicy<device::Space, OneByOne>(0, items, Kokkos::ChunkSize(1)),
                       item);
}

/// On a CPU, waiting tasks wait for a loop that runs before any work resumes.
struct WorkStream {
  [[nodiscard]] static bool is_idle() { return true; }
  template <class Turn>
  static void run(const Turn& turn) {
    turn();
  }
};

#endif

}  // namespace

struct SideBySide::Work {
  Work(std::function<void()> of_it, std::function<void()> border)
      : on_switch(std::move(border)), stack([this, of_it = std::move(of_it)] {
          try {
            of_it();
          } catch (...) {
            failure = std::current_exception();
          }
        }) {}

  /// Work that runs on this thread; null outside of tasks, and on side threads.
  static Work*& current() {
    static thread_local Work* work = nullptr;
    return work;
  }
  /// Current work if it may be suspended: not while an exception is handled, because exception
  /// state is per thread.
  static Work* find_suspendable() {
    return std::uncaught_exceptions() == 0 && !std::current_exception() ? current() : nullptr;
  }

  [[nodiscard]] bool may_go_on() const { return !is_aside && stream.is_idle(); }

  std::function<void()> on_switch;
  std::exception_ptr failure;
  std::atomic<bool> is_aside = false;  // a part of it runs on another thread
  bool ran_beside_others = false;
  WorkStream stream;
  int items = 0;  // items of the loop that it waits for, on a CPU
  const std::function<void(int)>* item = nullptr;
  OwnStack stack;
};

SideBySide::SideBySide() = default;
SideBySide::~SideBySide() {
  for (auto& work : tasks_) {
    while (work->is_aside) std::this_thread::sleep_for(pause);
    (void)work.release();  // NOLINT(bugprone-unused-return-value)
  }
}

int SideBySide::task_count() const { return static_cast<int>(tasks_.size()); }

void SideBySide::resume(Work& work) {
  if (work.on_switch) work.on_switch();
  work.stream.run([&work] {
    Work::current() = &work;
    work.stack.enter();
    Work::current() = nullptr;
  });
  if (work.on_switch) work.on_switch();
}

void SideBySide::begin(std::function<void()> work, std::function<void()> on_switch) {
  tasks_.push_back(std::make_unique<Work>(std::move(work), std::move(on_switch)));
  auto& begun = *tasks_.back();
  if (tasks_.size() > 1) {
    for (const auto& one : tasks_) one->ran_beside_others = true;
  }
  resume(begun);
  if (!begun.stack.has_ended()) return;
  const auto failure = begun.failure;
  tasks_.pop_back();
  if (failure) std::rethrow_exception(failure);
}

void SideBySide::go_on() {
  if (tasks_.empty()) return;
#ifndef KOKKOS_ENABLE_CUDA
  std::vector<std::pair<const std::function<void(int)>*, int>> items;
  for (const auto& work : tasks_) {
    for (int k = 0; k < work->items; ++k) items.emplace_back(work->item, k);
  }
  loop_over_threads(static_cast<int>(items.size()), [&items](int i) {
    const auto& [item, k] = items[static_cast<std::size_t>(i)];
    (*item)(k);
  });
#endif
  bool any = false;
  while (!any) {
    for (auto at = tasks_.begin(); at != tasks_.end();) {
      auto& work = **at;
      if (!work.may_go_on()) {
        ++at;
        continue;
      }
      any = true;
      resume(work);
      if (!work.stack.has_ended()) {
        ++at;
        continue;
      }
      const auto failure = work.failure;
      at = tasks_.erase(at);
      if (failure) std::rethrow_exception(failure);
    }
    if (any) break;
    const bool all_aside = std::all_of(tasks_.begin(), tasks_.end(),
                                       [](const auto& work) { return work->is_aside.load(); });
    if (all_aside) {
      std::this_thread::sleep_for(pause);
    } else {
      std::this_thread::yield();
    }
  }
}

bool ran_beside_others() {
  const auto* const work = SideBySide::Work::current();
  return work != nullptr && work->ran_beside_others;
}

double share_of_processor(int residues, int replicas) {
  const auto shape = resident_shape<kernels::Contact1210>(residues, replicas, 0);
#ifdef KOKKOS_ENABLE_CUDA
  const int places = device::Space().cuda_device_prop().multiProcessorCount;
#else
  const int places = device::loop_threads();
#endif
  return std::min(1.0, static_cast<double>(shape.groups) / places);
}

void yield_to_others() {
  if constexpr (device::on_host) return;
  if (auto* const work = SideBySide::Work::find_suspendable()) work->stack.leave();
}

void run_on_side_thread(const std::function<void()>& part) {
  auto* const work = SideBySide::Work::find_suspendable();
  if (work == nullptr) {
    part();
    return;
  }
  std::exception_ptr failure;
  std::thread thread;
  work->is_aside = true;
  try {
    thread = std::thread([&] {
      try {
        part();
      } catch (...) {
        failure = std::current_exception();
      }
      work->is_aside = false;
    });
  } catch (const std::system_error&) {
    work->is_aside = false;
  }
  if (!thread.joinable()) {  // the system gives this process no more threads
    part();
    return;
  }
  work->stack.leave();
  thread.join();
  if (failure) std::rethrow_exception(failure);
}

#ifndef KOKKOS_ENABLE_CUDA
void loop_concurrently(int items, const std::function<void(int)>& item) {
  auto* const work = SideBySide::Work::find_suspendable();
  if (work == nullptr) {
    loop_over_threads(items, [&item](int k) { item(k); });
    return;
  }
  work->items = items;
  work->item = &item;
  work->stack.leave();
  work->items = 0;
}
#endif

}  // namespace nfold::replicas

// MPI window on rank 0 with atomic operations on single integers.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/shared_integers.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "comm/mpi_check.hpp"
#include "comm/mpi_handle.hpp"

namespace nfold::comm {

struct SharedIntegers::Window {
  Window(const Communicator& communicator, std::int64_t words) {
    const std::int64_t own = communicator.is_root() ? words : 0;
    std::int64_t* memory = nullptr;
    check_mpi(MPI_Win_allocate(own * static_cast<std::int64_t>(sizeof(std::int64_t)),
                               sizeof(std::int64_t), MPI_INFO_NULL, mpi_comm(communicator), &memory,
                               &window));
    check_mpi(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window));
    std::fill(memory, memory + own, 0);
    check_mpi(MPI_Win_sync(window));
    communicator.barrier();
  }
  ~Window() {
    // Freeing the window is collective. A rank that unwinds from its own failure goes on to end the
    // others, and must not wait here for busy ones.
    if (std::uncaught_exceptions() > exceptions_before) return;
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  [[nodiscard]] std::int64_t apply(std::int64_t index, std::int64_t value, MPI_Op operation) const {
    std::int64_t before = 0;
    check_mpi(MPI_Fetch_and_op(&value, &before, MPI_INT64_T, 0, index, operation, window));
    check_mpi(MPI_Win_flush(0, window));
    return before;
  }

  MPI_Win window = MPI_WIN_NULL;
  int exceptions_before = std::uncaught_exceptions();
};

SharedIntegers::SharedIntegers(const Communicator& communicator, std::int64_t words) {
  if (communicator.size() > 1) {
    window_ = std::make_unique<Window>(communicator, words);
  } else {
    local_values_.resize(static_cast<std::size_t>(words), 0);
  }
}

SharedIntegers::~SharedIntegers() = default;

std::int64_t SharedIntegers::read(std::int64_t index) const {
  if (!window_) return local_values_[static_cast<std::size_t>(index)];
  return window_->apply(index, 0, MPI_NO_OP);
}

std::vector<std::int64_t> SharedIntegers::read(std::int64_t first, std::int64_t count) const {
  std::vector<std::int64_t> words;
  words.reserve(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) words.push_back(read(first + k));
  return words;
}

std::int64_t SharedIntegers::add(std::int64_t index, std::int64_t value) {
  if (window_) return window_->apply(index, value, MPI_SUM);
  auto& own = local_values_[static_cast<std::size_t>(index)];
  return std::exchange(own, own + value);
}

void SharedIntegers::put(std::int64_t index, std::int64_t value) {
  if (window_) {
    (void)window_->apply(index, value, MPI_REPLACE);
  } else {
    local_values_[static_cast<std::size_t>(index)] = value;
  }
}

std::int64_t SharedIntegers::decide(std::int64_t index, std::int64_t value) {
  if (add(index, 1) == 0) {
    put(index + 1, value);
    return value;
  }
  std::int64_t decided = 0;
  while ((decided = read(index + 1)) == 0) std::this_thread::yield();  // the first caller writes it
  return decided;
}

}  // namespace nfold::comm

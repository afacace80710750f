// The counter and the board of who drew what, in a window of rank 0.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/work_queue.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include "comm/mpi_check.hpp"
#include "comm/mpi_handle.hpp"

namespace nfold::comm {
namespace {

constexpr std::chrono::milliseconds glance{2};
/// Added to the counter by close(): more than there will ever be tickets.
constexpr std::int64_t closed_mark = std::int64_t{1} << 60U;

std::vector<std::int64_t> first_tickets(const std::vector<int>& ranks_of, int ranks) {
  std::vector<std::int64_t> first{0};
  first.reserve(ranks_of.size() + 1);
  for (const int count : ranks_of) {
    if (count < 1 || count > ranks) {
      throw std::invalid_argument("an item for " + std::to_string(count) + " of " +
                                  std::to_string(ranks) + " ranks");
    }
    first.push_back(first.back() + count);
  }
  return first;
}

}  // namespace

/// Words of rank 0: the counter, tickets drawn before the queue was closed (+ 1; 0: open), and for
/// each ticket the rank that drew it (+ 1; 0: nobody yet).
struct WorkQueue::Window {
  static constexpr std::int64_t counter = 0, drawn_when_closed = 1, board = 2;

  Window(const Communicator& communicator, std::int64_t tickets) {
    const std::int64_t words = communicator.is_root() ? board + tickets : 0;
    std::int64_t* memory = nullptr;
    check_mpi(MPI_Win_allocate(words * static_cast<std::int64_t>(sizeof(std::int64_t)),
                               sizeof(std::int64_t), MPI_INFO_NULL, mpi_comm(communicator), &memory,
                               &window));
    check_mpi(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window));
    std::fill(memory, memory + words, 0);
    check_mpi(MPI_Win_sync(window));
    communicator.barrier();
  }
  ~Window() {
    // To free it all ranks have to come. Who leaves by a failure of its own goes to end them, and
    // must not wait here for those that are at work.
    if (std::uncaught_exceptions() > exceptions_before) return;
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// What stood there before.
  std::int64_t apply(std::int64_t word, std::int64_t value, MPI_Op operation) const {
    std::int64_t before = 0;
    check_mpi(MPI_Fetch_and_op(&value, &before, MPI_INT64_T, 0, word, operation, window));
    check_mpi(MPI_Win_flush(0, window));
    return before;
  }
  [[nodiscard]] std::int64_t read(std::int64_t word) const { return apply(word, 0, MPI_NO_OP); }

  MPI_Win window = MPI_WIN_NULL;
  int exceptions_before = std::uncaught_exceptions();
};

WorkQueue::WorkQueue(const Communicator& communicator, const std::vector<int>& ranks_of)
    : communicator_(communicator), first_ticket_(first_tickets(ranks_of, communicator.size())) {
  if (communicator.size() > 1)
    window_ = std::make_unique<Window>(communicator, first_ticket_.back());
}

WorkQueue::~WorkQueue() = default;

std::optional<Draw> WorkQueue::next(const std::function<bool()>& gives_up) {
  const std::int64_t ticket =
      window_ ? window_->apply(Window::counter, 1, MPI_SUM) : drawn_alone_++;
  if (ticket >= first_ticket_.back()) return std::nullopt;
  const auto above = std::upper_bound(first_ticket_.begin(), first_ticket_.end(), ticket);
  const auto item = static_cast<std::int64_t>(above - first_ticket_.begin()) - 1;
  const auto k = static_cast<std::size_t>(item);
  if (first_ticket_[k + 1] - first_ticket_[k] == 1) return Draw{item, Communicator()};
  return join(ticket, item, gives_up);
}

std::optional<Draw> WorkQueue::join(std::int64_t ticket, std::int64_t item,
                                    const std::function<bool()>& gives_up) {
  const auto k = static_cast<std::size_t>(item);
  window_->apply(Window::board + ticket, communicator_.rank() + 1, MPI_REPLACE);
  std::vector<int> members;
  for (std::int64_t t = first_ticket_[k]; t < first_ticket_[k + 1]; ++t) {
    std::int64_t who = 0;
    while ((who = window_->read(Window::board + t)) == 0) {
      // A ticket drawn before the closing is written down for certain; a later one never is.
      const auto drawn = window_->read(Window::drawn_when_closed);
      if (drawn > 0 && t >= drawn - 1) return std::nullopt;
      if (drawn == 0 && gives_up()) close();
      std::this_thread::sleep_for(glance);
    }
    members.push_back(static_cast<int>(who) - 1);
  }
  return Draw{item, communicator_.group(members, static_cast<int>(item % 32'000))};
}

void WorkQueue::close() {
  if (!window_) {
    drawn_alone_ = first_ticket_.back();
    return;
  }
  const auto before = window_->apply(Window::counter, closed_mark, MPI_SUM);
  if (before >= closed_mark) return;  // another rank did
  window_->apply(Window::drawn_when_closed, std::min(before, first_ticket_.back()) + 1,
                 MPI_REPLACE);
}

}  // namespace nfold::comm

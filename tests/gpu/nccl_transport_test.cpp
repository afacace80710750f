// NCCL transport: bytes arrive at the offsets of the routes, from a stream and from a graph.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/nccl_transport.hpp"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace nfold::comm {
namespace {

constexpr std::size_t margin = 64;  // bytes beside the exchanged ones, which must stay
constexpr std::byte untouched{0xEE};

void check_cuda(cudaError_t code, const char* call) {
  if (code != cudaSuccess) {
    throw std::runtime_error(std::string(call) + " failed: " + cudaGetErrorString(code));
  }
}

/// Bytes that rank `from` sends to rank `to`: none between some pairs, several MB between others,
/// some to itself.
std::size_t message_bytes(int from, int to) {
  const int kind = (from + 2 * to) % 5;
  if (kind == 4) return 0;
  return kind == 1 ? std::size_t{3} << 20U : static_cast<std::size_t>(37 + 1000 * from + 10 * to);
}
std::byte message_byte(int from, int to, std::size_t index, int round) {
  return static_cast<std::byte>(index * 7 + index / 251 + static_cast<std::size_t>(from) * 31 +
                                static_cast<std::size_t>(to) * 17 +
                                static_cast<std::size_t>(round) * 101);
}

class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t size) : size_(size) {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, size), "cudaMalloc");
    data_ = static_cast<std::byte*>(memory);
  }
  ~DeviceBytes() { (void)cudaFree(data_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  void set(const std::vector<std::byte>& bytes) {
    check_cuda(cudaMemcpy(data_, bytes.data(), size_, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  [[nodiscard]] std::vector<std::byte> get() const {
    std::vector<std::byte> bytes(size_);
    check_cuda(cudaMemcpy(bytes.data(), data_, size_, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return bytes;
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_;
};

class Stream {
 public:
  Stream() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~Stream() { (void)cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Captured graph of the work put into a stream; it can be launched any number of times.
class Graph {
 public:
  template <class Work>
  Graph(cudaStream_t stream, const Work& work) {
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording");
    cudaGraph_t graph = nullptr;
    try {
      work();
    } catch (...) {
      (void)cudaStreamEndCapture(stream, &graph);
      (void)cudaGraphDestroy(graph);
      (void)cudaGetLastError();
      throw;
    }
    check_cuda(cudaStreamEndCapture(stream, &graph), "recording");
    const auto code = cudaGraphInstantiate(&instance_, graph, 0);
    (void)cudaGraphDestroy(graph);
    check_cuda(code, "cudaGraphInstantiate");
  }
  ~Graph() { (void)cudaGraphExecDestroy(instance_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void launch(cudaStream_t stream) {
    check_cuda(cudaGraphLaunch(instance_, stream), "cudaGraphLaunch");
  }

 private:
  cudaGraphExec_t instance_ = nullptr;
};

/// Routes of this rank to all ranks, and the contents of its buffers in a round.
struct Pattern {
  explicit Pattern(const Communicator& world) : rank(world.rank()), size(world.size()) {
    for (int peer = 0; peer < size; ++peer) {
      const auto out = message_bytes(rank, peer), in = message_bytes(peer, rank);
      routes.push_back({peer, sent, out, margin + received, in});
      sent += out;
      received += in;
    }
  }
  [[nodiscard]] std::vector<std::byte> to_send(int round) const {
    std::vector<std::byte> bytes;
    for (int peer = 0; peer < size; ++peer) append(bytes, rank, peer, round);
    bytes.resize(sent + margin, untouched);
    return bytes;
  }
  [[nodiscard]] std::vector<std::byte> expected(int round) const {
    std::vector<std::byte> bytes(margin, untouched);
    for (int peer = 0; peer < size; ++peer) append(bytes, peer, rank, round);
    bytes.resize(received + 2 * margin, untouched);
    return bytes;
  }
  static void append(std::vector<std::byte>& bytes, int from, int to, int round) {
    for (std::size_t i = 0; i < message_bytes(from, to); ++i) {
      bytes.push_back(message_byte(from, to, i, round));
    }
  }
  int rank, size;
  std::vector<Route> routes;
  std::size_t sent = 0, received = 0;
};

/// Selects the device by the rank's index on the node, as ComputeEnvironment does. Returns the
/// number of devices.
int choose_device(const Communicator& world) {
  const auto place = world.node_position();
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 0;
  check_cuda(cudaSetDevice(place.rank % devices), "cudaSetDevice");
  return devices;
}

/// Buffers of a pattern, filled and checked round by round.
class Rounds {
 public:
  explicit Rounds(const Communicator& world)
      : world_(world),
        pattern_(world),
        send_(pattern_.sent + margin),
        receive_(pattern_.received + 2 * margin) {}
  [[nodiscard]] const std::vector<Route>& routes() const { return pattern_.routes; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  void enqueue(NcclTransport& transport) {
    transport.enqueue(send_.data(), receive_.data(), pattern_.routes, stream_.get());
  }
  template <class Exchange>
  void expect_arrival(int round, const Exchange& exchange) {
    send_.set(pattern_.to_send(round));
    receive_.set(std::vector<std::byte>(pattern_.received + 2 * margin, untouched));
    check_cuda(cudaDeviceSynchronize(), "filling the buffers");
    world_.barrier();
    exchange();
    check_cuda(cudaStreamSynchronize(stream_.get()), "the exchange");
    EXPECT_TRUE(receive_.get() == pattern_.expected(round)) << "round " << round;
    EXPECT_TRUE(send_.get() == pattern_.to_send(round)) << "round " << round;
  }

 private:
  Communicator world_;
  Pattern pattern_;
  DeviceBytes send_, receive_;
  Stream stream_;
};

/// Skips if NCCL cannot be used; fails instead if NFOLD_TEST_MUST_NOT_SKIP is set.
class NcclTransportTest : public testing::Test {
 protected:
  void SetUp() override {
    (void)choose_device(world_);
    const auto reason = NcclTransport::unavailable(world_);
    if (!reason) return;
    if (std::getenv("NFOLD_TEST_MUST_NOT_SKIP") != nullptr) FAIL() << *reason;
    GTEST_SKIP() << *reason;
  }
  Communicator world_ = Communicator::world();
};

TEST_F(NcclTransportTest, DeliversMessagesFromAStream) {
  Rounds rounds(world_);
  NcclTransport transport(world_);
  for (int round = 0; round < 2; ++round) {
    rounds.expect_arrival(round, [&] { rounds.enqueue(transport); });
  }
  EXPECT_EQ(transport.asynchronous_error(), std::nullopt);
}

TEST_F(NcclTransportTest, DeliversMessagesFromAGraph) {
  Rounds rounds(world_);
  NcclTransport transport(world_);
  transport.connect(rounds.routes(), rounds.stream());
  transport.connect(rounds.routes(), rounds.stream());  // has nothing left to do
  Graph graph(rounds.stream(), [&] { rounds.enqueue(transport); });
  for (int round = 0; round < 2; ++round) {
    rounds.expect_arrival(round, [&] { graph.launch(rounds.stream()); });
  }
  rounds.expect_arrival(2, [&] {
    for (int i = 0; i < 5; ++i) graph.launch(rounds.stream());
  });
  rounds.expect_arrival(3, [&] { rounds.enqueue(transport); });
  rounds.expect_arrival(4, [&] { graph.launch(rounds.stream()); });
  EXPECT_EQ(transport.asynchronous_error(), std::nullopt);
}

TEST_F(NcclTransportTest, RefusesCaptureWithUnconnectedPeer) {
  if (world_.size() == 1) GTEST_SKIP() << "a rank alone has no peer";
  Rounds rounds(world_);
  NcclTransport transport(world_);
  EXPECT_THROW(Graph(rounds.stream(), [&] { rounds.enqueue(transport); }), CommunicationError);
  rounds.expect_arrival(0, [&] { rounds.enqueue(transport); });
}

TEST_F(NcclTransportTest, RefusesRouteToMissingRank) {
  Rounds rounds(world_);
  NcclTransport transport(world_);
  const std::vector<Route> routes{{world_.size(), 0, 1, 0, 1}};
  EXPECT_THROW(transport.enqueue(nullptr, nullptr, routes, rounds.stream()), std::invalid_argument);
}

TEST(NcclTransport, RefusesTwoRanksOnOneGpu) {
  const auto world = Communicator::world();
  const int devices = choose_device(world);
  if (devices == 0 || world.node_position().size <= devices) {
    GTEST_SKIP() << "needs more ranks than the GPUs of this node, of which it has " << devices;
  }
  const auto reason = NcclTransport::unavailable(world).value_or("");
  EXPECT_NE(reason.find("share one GPU"), std::string::npos) << reason;
}

}  // namespace
}  // namespace nfold::comm

// The one file that includes MPI, and a library of its own that kedge loads when mpirun has started it:
// linked into the program it would make every start 3 ms longer and every package of it need the drivers of
// clusters. All calls come from one thread.

#include <mpi.h>

#include <chrono>
#include <climits>
#include <thread>

#include "kedge/core/error.h"
#include "kedge/jobs/ranks.h"

namespace kedge {
namespace {

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    int given = 0;
    // An error of MPI ends all ranks; it says itself what it was.
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &here_);
    MPI_Comm_free(&here);
  }
  ~MpiRanks() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int on_this_machine() const override { return here_; }

  void send(int to, const std::string& text) override {
    if (text.size() > INT_MAX)
      throw Error("ranks",
                  "a message needs to have less than 2 GiB; found " + std::to_string(text.size()) + " bytes");
    // A plain send keeps a core busy until the other side takes the message.
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
    int is_sent = 0;
    while (MPI_Test(&request, &is_sent, MPI_STATUS_IGNORE) == MPI_SUCCESS && !is_sent)
      std::this_thread::sleep_for(between_looks);
  }

  std::optional<Message> receive() override {
    int is_there = 0, bytes = 0;
    MPI_Status status;
    MPI_Message found;
    MPI_Improbe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &is_there, &found, &status);
    if (!is_there) return std::nullopt;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    Message message{status.MPI_SOURCE, std::string(static_cast<size_t>(bytes), '\0')};
    MPI_Mrecv(message.text.data(), bytes, MPI_BYTE, &found, MPI_STATUS_IGNORE);
    return message;
  }

 private:
  static constexpr int tag = 1;
  static constexpr std::chrono::microseconds between_looks{200};
  int rank_ = 0, size_ = 1, here_ = 1;
};

}  // namespace
}  // namespace kedge

/// What the program looks for; it owns the result.
extern "C" kedge::Ranks* kedge_mpi_ranks() { return new kedge::MpiRanks; }

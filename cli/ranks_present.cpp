// The one file that includes MPI. All calls come from one thread.

#include <mpi.h>

#include <climits>

#include "cli/ranks.h"
#include "kedge/core/error.h"
#include "kedge/core/format.h"

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
      throw Error("ranks", fmt::format("a message has at most {} bytes; found {}", INT_MAX, text.size()));
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD);
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
  int rank_ = 0, size_ = 1, here_ = 1;
};

}  // namespace

std::unique_ptr<Ranks> join_ranks() {
  if (started_by_mpi().size == 1) return nullptr;
  auto ranks = std::make_unique<MpiRanks>();
  // Whoever started one process has one, whatever the environment says.
  if (ranks->size() == 1) return nullptr;
  return ranks;
}

}  // namespace kedge

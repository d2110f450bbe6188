#include "kedge/jobs/hand_out.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "kedge/core/error.h"
#include "kedge/core/format.h"
#include "kedge/core/message_of.h"
#include "kedge/core/thread_pool.h"
#include "kedge/jobs/job_store.h"

namespace kedge {
namespace {

using Words = std::vector<std::string>;

// What a rank says: it wants work, it has found something, it cannot go on. What rank 0 says: do this, end,
// stop.
constexpr const char *want = "want", *trained = "trained", *answered = "answered", *spent = "spent",
                     *fault = "fault", *give = "do", *end = "end", *stop = "stop";

size_t number_of(const std::string& word) { return static_cast<size_t>(std::stoull(word)); }

/// What two ranks have to agree on: numerics, device, jobs and shard.
std::string identity(const std::vector<Job>& jobs, const JobOptions& options) {
  return fmt::format("{}, {}, {}", origin_text(to_text(options.device)), list_name(jobs),
                     to_text(options.shard));
}

class HandingOut {
 public:
  HandingOut(const std::vector<Job>& jobs, std::span<const Work> work, const JobOptions& options,
             const WorkSink& sink)
      : jobs_(jobs), options_(options), ranks_(*options.ranks), sink_(sink), left_(work.begin(), work.end()) {
    // Computations first, as without ranks.
    std::stable_partition(left_.begin(), left_.end(), [](const Work& one) { return !one.fit; });
    for (const Work& one : left_)
      for (const Places& places : one.questions) work_of_[places.front()] = {one, places};
    is_running_.assign(static_cast<size_t>(ranks_.size()), 1);
    is_running_[0] = 0;
  }

  void run() {
    std::atomic<bool> is_done = false;
    std::thread own([&] {
      compute_here();
      is_done = true;
    });
    try {
      while (!is_done || std::count(is_running_.begin(), is_running_.end(), 1) > 0) {
        if (is_stopped()) tell_stop();
        if (const std::optional<Message> message = ranks_.receive())
          hear(*message);
        else
          wait_for_messages();
      }
    } catch (...) {
      note_fault(std::current_exception());
    }
    own.join();
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  struct Question {
    Work work;
    Places places;
  };

  bool is_stopped() const { return has_fault_ || sink_.stopped(); }

  void note_fault(std::exception_ptr what) {
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = std::move(what);
    has_fault_ = true;
  }

  /// Enough for so many threads; less towards the end, so that all ranks end at about the same time.
  std::vector<Work> take(size_t threads) {
    const std::lock_guard lock(mutex_);
    if (is_stopped() || left_.empty()) return {};
    const size_t share = left_.size() / (2 * static_cast<size_t>(ranks_.size())),
                 count = std::min(std::clamp(share, threads, 4 * threads), left_.size());
    const auto last = left_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Work> taken(left_.begin(), last);
    left_.erase(left_.begin(), last);
    return taken;
  }

  void compute_here() {
    try {
      WorkSink sink = sink_;
      sink.stopped = [this] { return is_stopped(); };
      const auto threads = static_cast<size_t>(ThreadPool(options_.threads).threads());
      for (std::vector<Work> work = take(threads); !work.empty(); work = take(threads))
        compute(jobs_, work, options_, sink);
    } catch (...) {
      note_fault(std::current_exception());
    }
  }

  void tell_stop() {
    if (has_told_stop_) return;
    has_told_stop_ = true;
    for (int rank = 1; rank < ranks_.size(); ++rank)
      if (is_running_[static_cast<size_t>(rank)]) ranks_.send(rank, packed({stop}));
  }

  void hear(const Message& message) {
    const Words words = unpacked(message.text);
    try {
      if (words.at(0) == want) return answer_want(message.from, words);
      if (words[0] == fault) {
        is_running_.at(static_cast<size_t>(message.from)) = 0;
        throw Error("reproduce", fmt::format("rank {}: {}", message.from, words.at(1)));
      }
      if (words[0] == spent)
        return sink_.spent(number_of(words.at(1)), {std::stod(words.at(2)), std::stod(words.at(3))});
      const Question& question = work_of_.at(number_of(words.at(1)));
      const JobResult result{words.at(2), words.at(3)};
      if (words[0] == trained)
        sink_.trained(question.work, result, words.at(4));
      else
        sink_.answered(question.places, result);
    } catch (...) {
      // The others are told to stop; what they still send is heard.
      note_fault(std::current_exception());
    }
  }

  void answer_want(int rank, const Words& words) {
    Words reply = {give};
    const bool is_alike = words.at(2) == identity(jobs_, options_);
    if (is_alike)
      for (const Work& work : take(number_of(words.at(1))))
        for (const Places& places : work.questions) reply.push_back(std::to_string(places.front()));
    if (reply.size() == 1) {
      is_running_.at(static_cast<size_t>(rank)) = 0;
      reply = {end};
    }
    ranks_.send(rank, packed(reply));
    if (!is_alike)
      throw Error("reproduce",
                  fmt::format("all ranks need the same program, processor and command; rank {} has "
                              "others; start them all from one kedge on processors of one kind",
                              rank));
  }

  const std::vector<Job>& jobs_;
  const JobOptions& options_;
  Ranks& ranks_;
  const WorkSink& sink_;
  std::deque<Work> left_;
  std::map<size_t, Question> work_of_;  // by first place of the question
  std::vector<char> is_running_;        // by rank
  std::mutex mutex_;
  std::exception_ptr fault_;
  std::atomic<bool> has_fault_ = false;
  bool has_told_stop_ = false;
};

/// What the threads that compute have found and the thread that sends has not yet sent.
class Outbox {
 public:
  void add(const Words& words) {
    std::string text = packed(words);
    const std::lock_guard lock(mutex_);
    texts_.push_back(std::move(text));
  }
  void send(Ranks& ranks) {
    std::deque<std::string> texts;
    {
      const std::lock_guard lock(mutex_);
      texts.swap(texts_);
    }
    for (const std::string& text : texts) ranks.send(0, text);
  }

 private:
  std::mutex mutex_;
  std::deque<std::string> texts_;
};

class TakingWork {
 public:
  TakingWork(const std::vector<Job>& jobs, const JobOptions& options, const std::function<bool()>& stopped)
      : jobs_(jobs), options_(options), ranks_(*options.ranks) {
    sink_ = {
        .stopped = [this, &stopped] { return is_told_to_stop_ || stopped(); },
        .trained =
            [this](const Work& work, const JobResult& result, const std::string& model) {
              outbox_.add({trained, std::to_string(work.first_place()), result.text, result.machine, model});
            },
        .answered =
            [this](const Places& places, const JobResult& result) {
              if (!sink_.stopped())
                outbox_.add({answered, std::to_string(places.front()), result.text, result.machine});
            },
        .spent =
            [this](size_t place, const Spent& took) {
              outbox_.add({spent, std::to_string(place), fmt::format("{}", took.core),
                           fmt::format("{}", took.device)});
            }};
  }

  void run() {
    const std::string threads = std::to_string(ThreadPool(options_.threads).threads()),
                      own_identity = identity(jobs_, options_);
    while (true) {
      ranks_.send(0, packed({want, threads, own_identity}));
      std::optional<Words> order = next_order();
      if (!order) return;
      std::vector<size_t> places;
      for (size_t w = 1; w < order->size(); ++w) places.push_back(number_of((*order)[w]));
      try {
        compute_and_send(work_of(jobs_, places));
      } catch (const Error& error) {
        return tell_fault(message_of(error));
      } catch (const std::exception& error) {
        return tell_fault(error.what());
      }
    }
  }

 private:
  void tell_fault(const std::string& what) { ranks_.send(0, packed({fault, what})); }

  /// Nothing at the end.
  std::optional<Words> next_order() {
    while (true) {
      const std::optional<Message> message = ranks_.receive();
      if (!message) {
        wait_for_messages();
        continue;
      }
      Words words = unpacked(message->text);
      if (words.at(0) == give) return words;
      if (words[0] == end) return std::nullopt;
      is_told_to_stop_ = true;  // the end follows
    }
  }

  void compute_and_send(const std::vector<Work>& work) {
    std::atomic<bool> is_done = false;
    std::exception_ptr thrown;
    std::thread own([&] {
      try {
        compute(jobs_, work, options_, sink_);
      } catch (...) {
        thrown = std::current_exception();
      }
      is_done = true;
    });
    while (!is_done) {
      outbox_.send(ranks_);
      if (ranks_.receive()) is_told_to_stop_ = true;  // rank 0 says nothing else meanwhile
      wait_for_messages();
    }
    own.join();
    outbox_.send(ranks_);
    if (thrown) std::rethrow_exception(thrown);
  }

  const std::vector<Job>& jobs_;
  const JobOptions& options_;
  Ranks& ranks_;
  WorkSink sink_;
  Outbox outbox_;
  std::atomic<bool> is_told_to_stop_ = false;
};

}  // namespace

void hand_out(const std::vector<Job>& jobs, std::span<const Work> work, const JobOptions& options,
              const WorkSink& sink) {
  HandingOut(jobs, work, options, sink).run();
}

void take_work(const std::vector<Job>& jobs, const JobOptions& options,
               const std::function<bool()>& stopped) {
  TakingWork(jobs, options, stopped).run();
}

std::string list_name(const std::vector<Job>& jobs) {
  std::string keys;
  for (const Job& job : jobs) keys += job.key + "\n";
  return fmt::format("{:016x}", hash_of(keys));
}

}  // namespace kedge

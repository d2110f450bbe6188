#include "kedge/jobs/device_work.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "kedge/core/stopwatch.h"
#include "kedge/core/thread_pool.h"

namespace kedge {
namespace {

// A device trains wide networks as fast as so many cores, by the estimate of their work.
constexpr double cores_of_a_device = 400;
// Seconds of each core: with less to come, fits are trained whose questions take long.
constexpr double least_to_come = 30;
constexpr double least_training = 1e-3;
// Enough to fill a device with small networks. A thread waits for each.
constexpr size_t most_fleets = 32;
constexpr size_t most_fits_of_a_fleet = 64;

/// What is known of a fit without making its source.
struct Estimate {
  std::string program;
  double training = 0, asking = 0;
};

Estimate estimate_of(const std::vector<Job>& jobs, const Work& work) {
  const double training = work.fit->work ? work.fit->work() / cores_of_a_device : 0;
  return {.program = work.fit->program ? work.fit->program() : "not known",
          .training = std::max(training, least_training),
          .asking = asking_seconds(jobs, work)};
}

/// Parts of about the same size.
void add_in_parts(const std::vector<std::pair<Work, Estimate>>& fits, std::vector<DeviceFleet>& fleets) {
  double training = 0;
  for (const auto& [work, estimate] : fits) training += estimate.training;
  const size_t count = fits.size(), by_time = static_cast<size_t>(std::ceil(training / most_of_a_fleet)),
               by_fits = (count + most_fits_of_a_fleet - 1) / most_fits_of_a_fleet,
               parts = std::clamp(by_time, by_fits, count);
  for (size_t part = 0; part < parts; ++part) {
    DeviceFleet& fleet = fleets.emplace_back();
    for (size_t i = part * count / parts; i < (part + 1) * count / parts; ++i) {
      fleet.fits.push_back(fits[i].first);
      fleet.training += fits[i].second.training;
      fleet.asking += fits[i].second.asking;
    }
  }
}

class DeviceWork {
 public:
  DeviceWork(const std::vector<Job>& jobs, std::span<const Work> work, const JobOptions& options,
             const WorkSink& sink, const std::function<double()>& clock)
      : jobs_(jobs),
        options_(options),
        sink_(sink),
        training_sink_(sink),
        cores_(options.threads),
        clock_(clock) {
    training_sink_.stopped = [this] { return has_failed_ || sink_.stopped(); };
    std::vector<Work> fits;
    for (const Work& one : work) (one.fit ? fits : untrained_).push_back(one);
    for (DeviceFleet& fleet : fleets_of(jobs, fits, options.threads, untrained_))
      (asks_long(fleet) ? asking_long_ : others_).push_back(std::move(fleet));
  }

  void run() {
    const size_t fleets = asking_long_.size() + others_.size();
    std::vector<std::future<void>> trainers;
    for (size_t t = 0; t < std::min(most_fleets, fleets); ++t)
      trainers.push_back(std::async(std::launch::async, [this] { train_fleets(); }));
    cores_.run(static_cast<size_t>(cores_.threads()), [this](size_t) { work_on_core(); });
    for (std::future<void>& trainer : trainers) trainer.get();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct InFlight {
    DeviceFleet fleet;
    size_t left = fleet.fits.size();  // fits that are not trained yet
    double share = 0;                 // seconds of the device

    /// Of the estimate.
    double to_train() const {
      return fleet.training * static_cast<double>(left) / static_cast<double>(fleet.fits.size());
    }
  };
  struct Question {
    Work work;
    FitAttempt attempt;
  };

  double seconds_of_cores(double seconds) const { return seconds * static_cast<double>(cores_.threads()); }
  bool asks_long(const DeviceFleet& fleet) const { return fleet.asking > seconds_of_cores(fleet.training); }

  /// The first error ends all trainings. What is trained is asked nevertheless.
  template <class Part>
  void attempt(const Part& part) {
    try {
      part();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      has_failed_ = true;
    }
  }

  void train_fleets() {
    while (InFlight* const own = next_fleet()) {
      const std::vector<Work>& fits = own->fleet.fits;
      JobOptions options = options_;
      options.threads = static_cast<int>(std::min(fits.size(), static_cast<size_t>(cores_.threads())));
      attempt([&] {
        train(fits, options, training_sink_, [&](size_t i, FitAttempt&& ended) {
          const std::lock_guard lock(mutex_);
          leave(*own, own->left - 1);
          questions_.push_back({fits[i], std::move(ended)});
          changed_.notify_all();
        });
      });
      std::unique_lock lock(mutex_);
      leave(*own, 0);
      const double share = own->share / static_cast<double>(fits.size());
      lock.unlock();
      for (const Work& fit : fits) sink_.spent(fit.first_place(), {.device = share});
      lock.lock();
      in_flight_.remove_if([&](const InFlight& one) { return &one == own; });
      changed_.notify_all();
    }
  }

  /// Null when there is nothing more to train.
  InFlight* next_fleet() {
    std::unique_lock lock(mutex_);
    const auto is_over = [&] { return next_line().empty() || training_sink_.stopped(); };
    changed_.wait(lock, [&] { return is_over() || has_room(next_line().front()); });
    if (is_over()) return nullptr;
    share_time();
    std::deque<DeviceFleet>& line = next_line();
    InFlight& taken = in_flight_.emplace_back(InFlight{.fleet = std::move(line.front())});
    line.pop_front();
    held_ += taken.fleet.fits.size();
    to_come_ += taken.fleet.asking;
    return &taken;
  }

  /// Questions that take the cores longer than the training takes the device come when the cores would soon
  /// have none. Everything else goes in the order of the list.
  std::deque<DeviceFleet>& next_line() {
    const bool is_soon_idle = to_come_ < seconds_of_cores(least_to_come);
    std::deque<DeviceFleet>& wanted = is_soon_idle ? asking_long_ : others_;
    return wanted.empty() ? (is_soon_idle ? others_ : asking_long_) : wanted;
  }

  double to_train() const {
    double seconds = 0;
    for (const InFlight& one : in_flight_) seconds += one.to_train();
    return seconds;
  }

  bool has_room(const DeviceFleet& fleet) const {
    const double before = to_train();
    return (before == 0 || before + fleet.training <= most_in_flight) &&
           (held_ == 0 || held_ + fleet.fits.size() <= most_fits_held);
  }

  /// So many of its fits are to be trained from now on.
  void leave(InFlight& one, size_t fits) {
    share_time();
    one.left = fits;
  }

  /// Of the time since the last call, by what is in flight.
  void share_time() {
    const double now = clock_(), all = to_train();
    for (InFlight& one : in_flight_)
      if (all > 0) one.share += (now - shared_until_) * one.to_train() / all;
    shared_until_ = now;
  }

  void work_on_core() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] {
        return sink_.stopped() || !questions_.empty() || has_untrained() || no_question_comes();
      });
      if (sink_.stopped()) break;
      if (!questions_.empty()) {
        const Question question = std::move(questions_.front());
        questions_.pop_front();
        lock.unlock();
        ask_fit(question);
      } else if (has_untrained()) {
        const Work& work = untrained_[next_untrained_++];
        lock.unlock();
        attempt([&] { compute_untrained(work); });
      } else {
        break;
      }
      lock.lock();
      changed_.notify_all();
    }
    changed_.notify_all();
  }

  bool has_untrained() const { return next_untrained_ < untrained_.size() && !has_failed_; }
  bool no_question_comes() { return in_flight_.empty() && (next_line().empty() || has_failed_); }

  void ask_fit(const Question& question) {
    const Stopwatch watch;
    attempt([&] { end_fit(jobs_, question.work, question.attempt, sink_); });
    sink_.spent(question.work.first_place(), {.core = watch.seconds()});
    const double estimate = asking_seconds(jobs_, question.work);
    const std::lock_guard lock(mutex_);
    --held_;
    to_come_ -= estimate;
  }

  /// A computation, or a fit that needs no device.
  void compute_untrained(const Work& work) {
    if (!work.fit) return run_computation(jobs_, work, sink_);
    const Stopwatch watch;
    JobOptions alone = options_;
    alone.threads = 1;
    train({&work, 1}, alone, sink_, [&](size_t, FitAttempt&& ended) { end_fit(jobs_, work, ended, sink_); });
    sink_.spent(work.first_place(), {.core = watch.seconds()});
  }

  const std::vector<Job>& jobs_;
  const JobOptions& options_;
  const WorkSink& sink_;
  WorkSink training_sink_;
  ThreadPool cores_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<DeviceFleet> asking_long_, others_;  // that wait
  std::list<InFlight> in_flight_;
  std::deque<Question> questions_;
  std::vector<Work> untrained_;
  size_t next_untrained_ = 0;
  size_t held_ = 0;     // fits whose last answer is not there
  double to_come_ = 0;  // seconds of one core, of their questions
  const std::function<double()>& clock_;
  double shared_until_ = 0;
  std::exception_ptr error_;
  std::atomic<bool> has_failed_ = false;
};

}  // namespace

std::vector<DeviceFleet> fleets_of(const std::vector<Job>& jobs, std::span<const Work> fits, int threads,
                                   std::vector<Work>& closed) {
  std::vector<Estimate> estimates(fits.size());
  ThreadPool(threads).run(fits.size(), [&](size_t i) { estimates[i] = estimate_of(jobs, fits[i]); });
  std::vector<std::vector<std::pair<Work, Estimate>>> groups;
  std::map<std::string, size_t> group_of;  // by program
  for (size_t i = 0; i < fits.size(); ++i) {
    if (estimates[i].program.empty()) {
      closed.push_back(fits[i]);
      continue;
    }
    const size_t group = group_of.emplace(estimates[i].program, groups.size()).first->second;
    if (group == groups.size()) groups.emplace_back();
    groups[group].emplace_back(fits[i], estimates[i]);
  }
  std::vector<DeviceFleet> fleets;
  for (const auto& group : groups) add_in_parts(group, fleets);
  return fleets;
}

void compute_with_device(const std::vector<Job>& jobs, std::span<const Work> work, const JobOptions& options,
                         const WorkSink& sink, const std::function<double()>& clock) {
  DeviceWork(jobs, work, options, sink, clock).run();
}

}  // namespace kedge

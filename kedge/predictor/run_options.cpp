#include <algorithm>
#include <mutex>

#include "kedge/predictor/fit.h"

namespace kedge {

RunOptions RunOptions::as_phase(const Phase& phase) const {
  RunOptions run = *this;
  if (!progress) return run;
  run.progress = [whole = progress, phase](const Progress& p) {
    const double share = p.total_work > 0 ? std::min(1.0, p.work / p.total_work) : 0.0;
    return whole({.step = phase.before.steps + p.step,
                  .steps = phase.total.steps,
                  .loss = p.loss,
                  .work = phase.before.work + share * phase.own.work,
                  .total_work = phase.total.work,
                  .phase = *phase.name ? phase.name : p.phase});
  };
  return run;
}

RunOptions StopNote::run() {
  RunOptions run = run_;
  if (run.progress) run.progress = [this](const Progress& p) { return report(p); };
  return run;
}

void StopNote::check() {
  if (!run_.progress) return;
  const std::lock_guard lock(mutex_);
  if (!ask(last_)) throw fit_stopped();
}

void StopNote::add_work(double work) {
  if (!run_.progress) return;
  const std::lock_guard lock(mutex_);
  added_ += work;
  last_.work += work;
  ask(last_);
}

bool StopNote::report(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  last_ = progress;
  last_.work += added_;
  return ask(last_);
}

bool StopNote::ask(const Progress& progress) {
  if (!wished_ && !run_.progress(progress)) wished_ = true;
  return !wished_;
}

}  // namespace kedge

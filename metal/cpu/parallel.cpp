#include "metal/cpu/parallel.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <system_error>
#include <vector>

namespace assay::metal::cpu {

namespace {

constexpr std::size_t max_stages = 4;

using Clock = std::chrono::steady_clock;

/// The processor time of the calling thread.
Clock::duration processor_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::duration_cast<Clock::duration>(std::chrono::seconds(time.tv_sec) +
                                                     std::chrono::nanoseconds(time.tv_nsec));
}

/// Waits until `ready`. It looks for some microseconds before it sleeps, since others often take no longer and waking
/// up takes many. To look for longer would take the processor from those that it waits for, where other programs run.
template <class Ready, class Sleep>
void wait_until(const Ready& ready, const Sleep& sleep) {
  constexpr auto patience = std::chrono::microseconds(20);
  const auto begin = Clock::now();
  do {
    for (int looks = 0; looks < 32; ++looks)
      if (ready()) return;
  } while (Clock::now() - begin < patience);
  sleep();
}

/// What the calling thread calls between two pieces of its work.
using BetweenPieces = std::function<void()>;

/// A call of in_stages.
struct Job {
  const std::function<void(std::size_t worker, const BetweenPieces&)>& run;
  std::size_t workers;
  bool offered = false;                  ///< to the other threads
  std::size_t begun = 1;                 ///< workers that have a number; the calling thread has 0
  std::atomic<std::size_t> working = 0;  ///< other threads that have begun and have not ended
  std::atomic<Clock::rep> used = 0;      ///< of processors, by all threads

  void work(std::size_t worker, const BetweenPieces& between = [] {}) {
    const auto before = processor_time();
    run(worker, between);
    used += (processor_time() - before).count();
  }
};

/// Threads that sleep until there is a job. Beside other programs a thread may wait long for a processor, so
///
/// - a caller never waits for a thread that has not begun, and does all the work itself where none does;
/// - where a call took longer than its threads computed together, which is what it would have taken without the others,
///   callers do without them for ten times as long as was lost: they cost a tenth at most. A call that has not ended by
///   then offers the others what is left of its work.
class ThreadPool {
 public:
  /// Never destroyed: its threads sleep until the process ends.
  static ThreadPool& the_one() {
    static ThreadPool* const pool = new ThreadPool;
    return *pool;
  }

  void work_on(Job& job) {
    const auto begin = Clock::now();
    offer_when_due(job);
    job.work(0, [&] { offer_when_due(job); });
    if (!job.offered) return;
    withdraw(job);
    const auto end = Clock::now();
    const auto lost = (end - begin) - Clock::duration(job.used);
    if (lost > Clock::duration::zero()) alone_until_ = end.time_since_epoch() + 10 * lost;
  }

 private:
  void offer_when_due(Job& job) {
    if (job.offered || Clock::now().time_since_epoch() < alone_until_.load()) return;
    job.offered = true;
    offer(job);
  }

  void offer(Job& job) {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(&job);
    ++offers_;
    try {
      for (; threads_ + 1 < job.workers; ++threads_) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {  // no more threads are to be had: those that there are do the work
    }
    job.workers == 2 ? offered_.notify_one() : offered_.notify_all();
  }

  void withdraw(Job& job) {
    {
      const std::scoped_lock lock(mutex_);
      std::erase(jobs_, &job);
    }
    const auto ended = [&] { return job.working == 0; };
    wait_until(ended, [&] {
      std::unique_lock lock(mutex_);
      ended_.wait(lock, ended);
    });
  }

  /// Gives the first job that wants another worker one, or returns null.
  Job* begin_job(std::size_t& worker) {
    const std::scoped_lock lock(mutex_);
    for (Job* job : jobs_) {
      if (job->begun == job->workers) continue;
      worker = job->begun++;
      ++job->working;
      return job;
    }
    return nullptr;
  }

  void end_job(Job& job) {
    if (--job.working > 0) return;  // from here on the job may be gone
    const std::scoped_lock lock(mutex_);
    ended_.notify_all();
  }

  [[noreturn]] void serve() {
    while (true) {
      const std::size_t offers = offers_;
      std::size_t worker = 0;
      while (Job* job = begin_job(worker)) job->work(worker), end_job(*job);
      const auto offered = [&] { return offers_ != offers; };
      wait_until(offered, [&] {
        std::unique_lock lock(mutex_);
        offered_.wait(lock, offered);
      });
    }
  }

  std::mutex mutex_;
  std::condition_variable offered_, ended_;
  std::vector<Job*> jobs_;  ///< of callers that still work
  std::atomic<std::size_t> offers_ = 0;
  std::size_t threads_ = 0;
  std::atomic<Clock::duration> alone_until_{};  ///< since the clock's epoch
};

struct Progress {
  std::atomic<std::size_t> next = 0, done = 0;
};

void wait_for(std::atomic<std::size_t>& counter, std::size_t value) {
  wait_until([&] { return counter == value; },
             [&] {
               for (std::size_t now = counter; now != value; now = counter) counter.wait(now);
             });
}

}  // namespace

bool in_stages(std::size_t workers, std::span<const Stage> stages) {
  std::array<Progress, max_stages> progress;
  std::atomic<bool> all_true = true;
  const auto run = [&](std::size_t worker, const BetweenPieces& between) {
    for (std::size_t s = 0; s < stages.size() && all_true; ++s) {
      const Stage& stage = stages[s];
      auto& [next, done] = progress[s];
      for (std::size_t i = next++; i < stage.count; i = next++) {
        if (!stage.run(worker, i)) all_true = false;
        if (++done == stage.count) done.notify_all();
        between();
      }
      if (s + 1 < stages.size()) wait_for(done, stage.count);
    }
  };
  if (workers <= 1) {
    run(0, [] {});
  } else {
    const std::function<void(std::size_t, const BetweenPieces&)> shared = run;
    Job job{shared, workers};
    ThreadPool::the_one().work_on(job);
  }
  return all_true;
}

}  // namespace assay::metal::cpu

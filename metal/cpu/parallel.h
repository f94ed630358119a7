// Work spread over threads: each thread takes the next piece that no thread has taken yet.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <thread>

namespace assay::metal::cpu {

/// The number of threads for B rows. `threads` is what the caller asks for; 0 means all processors. Many more threads
/// than processors would only cost memory.
inline std::size_t worker_count(int threads, std::size_t B) {
  const std::size_t processors = std::thread::hardware_concurrency();
  const std::size_t wanted = threads == 0 ? processors : static_cast<std::size_t>(threads);
  return std::max<std::size_t>(1, std::min({wanted, B, std::max<std::size_t>(processors, 64)}));
}

/// run(worker, i) for each i below `count`. It returns false to stop the later stages, and must not throw.
struct Stage {
  std::size_t count;
  std::function<bool(std::size_t worker, std::size_t i)> run;
};

/// Runs one stage after the other: run(worker, i) once for each i, begun in rising order, with worker < `workers`. The
/// calling thread is worker 0; the others are those that begin in time, perhaps none, and are kept for the next call,
/// since making them can take longer than the work. A stage begins when every piece of the stages before is done; none
/// begins after a stage with a piece that returned false. Returns whether all pieces returned true. At most 4 stages.
bool in_stages(std::size_t workers, std::span<const Stage> stages);

/// Calls work(worker, i) once for each i below `count`, begun in rising order, with worker < `workers`. `work` must not
/// throw.
template <class Work>
void for_each_piece(std::size_t count, std::size_t workers, const Work& work) {
  const Stage all[] = {{count, [&](std::size_t worker, std::size_t i) {
                          work(worker, i);
                          return true;
                        }}};
  in_stages(workers, all);
}

}  // namespace assay::metal::cpu

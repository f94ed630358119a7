// Work spread over threads: each thread takes the next piece that nobody has taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <thread>

namespace assay::metal::cpu {

/// The threads used for B rows when `threads` are asked for, 0 meaning all that the machine has. Many more than it has
/// would cost memory and win nothing.
inline std::size_t worker_count(int threads, std::size_t B) {
  const std::size_t processors = std::thread::hardware_concurrency();
  const std::size_t wanted = threads == 0 ? processors : static_cast<std::size_t>(threads);
  return std::max<std::size_t>(1, std::min({wanted, B, std::max<std::size_t>(processors, 64)}));
}

/// Calls run(worker) in at most `workers` threads, among them the calling one, with numbers from 0 on. The others stay
/// for the next call: making them anew can take longer than the work. `run` may not throw.
void on_threads(std::size_t workers, const std::function<void(std::size_t)>& run);

/// run(worker, i) for each i below `count`; false where it is in vain to go on. `run` may not throw.
struct Stage {
  std::size_t count;
  std::function<bool(std::size_t worker, std::size_t i)> run;
};

/// One stage after the other, each piece of it once, taken up in rising order, with worker < `workers`. No piece begins
/// before every one of the stages before is done, and none of a stage after one in which a piece was false. Whether all
/// were true. At most 4 stages.
bool in_stages(std::size_t workers, std::span<const Stage> stages);

/// Calls acceptable(row) once for each row below `rows` and then, where all were true, work(worker, i) once for each i
/// below `rows`, in rising order, with worker < `workers`. No work begins before every row has been found acceptable.
/// Neither may throw.
template <class Acceptable, class Work>
bool for_each_row(std::size_t rows, std::size_t workers, const Acceptable& acceptable, const Work& work) {
  const Stage stages[] = {{rows, [&](std::size_t, std::size_t row) { return acceptable(row); }},
                          {rows, [&](std::size_t worker, std::size_t i) { return work(worker, i), true; }}};
  return in_stages(workers, stages);
}

}  // namespace assay::metal::cpu

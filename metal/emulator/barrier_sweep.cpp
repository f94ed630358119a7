#include "metal/emulator/barrier_sweep.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include "metal/device/line_marker.h"
#include "metal/emulator/abi/shader_abi.h"

namespace assay::metal::emulator {

namespace {

/// A call in the source: [begin, end) with its closing parenthesis, its argument in [argument, end - 1).
struct Call {
  std::size_t begin, argument, end;
};

/// The source with blanks in place of its comments.
std::string without_comments(std::string source) {
  const auto blank = [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < std::min(end, source.size()); ++at)
      if (source[at] != '\n') source[at] = ' ';
  };
  for (std::size_t at = source.find('/'); at != std::string::npos; at = source.find('/', at + 1)) {
    if (source.compare(at, 2, "//") == 0) blank(at, source.find('\n', at));
    if (source.compare(at, 2, "/*") == 0) blank(at, std::min(source.find("*/", at), source.size() - 2) + 2);
  }
  return source;
}

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}

/// Where the name at `at` begins with its namespaces, as in metal::threadgroup_barrier.
std::size_t qualified(const std::string& text, std::size_t at) {
  while (at >= 2 && text.compare(at - 2, 2, "::") == 0)
    for (at -= 2; at > 0 && is_word(text[at - 1]);) --at;
  return at;
}

std::vector<Call> barriers_of(const std::string& text) {
  std::vector<Call> calls;
  for (const std::string_view name : {"threadgroup_barrier", "simdgroup_barrier"}) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const std::size_t open = text.find_first_not_of(" \t\n", at + name.size());
      if ((at > 0 && is_word(text[at - 1])) || open == std::string::npos || text[open] != '(') continue;
      std::size_t end = open + 1;
      for (int depth = 1; depth > 0 && end < text.size(); ++end)
        depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      calls.push_back({qualified(text, at), open + 1, end});
    }
  }
  std::ranges::sort(calls, {}, &Call::begin);
  return calls;
}

/// The last line marker before a place: # 12 "file" 2 3, or #line 12 "file".
struct MarkerBefore {
  std::string file;
  std::size_t line = 1, end = 0;  ///< the number of the line behind the marker, and where that line begins
  bool is_of_system_header = false;
};

MarkerBefore marker_before(const std::string& source, std::size_t at) {
  for (std::size_t end = source.rfind('\n', at); end != std::string::npos && end > 0;) {
    const std::size_t before = source.rfind('\n', end - 1), begin = before + 1;  // npos + 1 is 0
    const std::string_view line = std::string_view(source).substr(begin, end - begin);
    if (const auto marker = line_marker(line))
      return {marker->file(), marker->line, end + 1, marker->is_of_system_header()};
    if (before == std::string::npos) break;
    end = before;
  }
  return {};
}

SourcePosition position_of(const std::string& source, const MarkerBefore& marker, std::size_t at) {
  const auto begin = source.begin() + static_cast<std::ptrdiff_t>(marker.end);
  const auto here = source.begin() + static_cast<std::ptrdiff_t>(at);
  const std::size_t line_begin = at == 0 ? 0 : source.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  return {std::filesystem::path(marker.file).lexically_normal(),
          static_cast<std::uint32_t>(marker.line + static_cast<std::size_t>(std::count(begin, here, '\n'))),
          static_cast<std::uint32_t>(at - line_begin + 1)};
}

/// A way to change a barrier.
struct Weakening {
  const char* change;
  bool is_deleted;
  std::uint32_t memory_flags;
};

/// To delete a barrier, and to let it order less memory than this, or other memory.
std::vector<Weakening> weakenings(bool has_device, bool has_threadgroup) {
  using abi::mem_device, abi::mem_none, abi::mem_threadgroup;
  std::vector<Weakening> all{{"deleted", true, mem_none}};
  if (has_device && has_threadgroup) {
    all.push_back({"both flags -> mem_device", false, mem_device});
    all.push_back({"both flags -> mem_threadgroup", false, mem_threadgroup});
  } else if (has_device) {
    all.push_back({"mem_device -> mem_none", false, mem_none});
    all.push_back({"mem_device -> mem_threadgroup", false, mem_threadgroup});
  } else if (has_threadgroup) {
    all.push_back({"mem_threadgroup -> mem_none", false, mem_none});
    all.push_back({"mem_threadgroup -> mem_device", false, mem_device});
  }
  return all;
}

}  // namespace

std::vector<BarrierMutant> barrier_mutants(const std::string& source) {
  const std::string text = without_comments(source);
  std::vector<BarrierMutant> mutants;
  for (const Call& call : barriers_of(text)) {
    const MarkerBefore marker = marker_before(source, call.begin);
    if (marker.is_of_system_header) continue;
    const SourcePosition position = position_of(source, marker, call.begin);
    const std::string_view argument = std::string_view(text).substr(call.argument, call.end - 1 - call.argument);
    const auto names = [&](std::string_view flag) { return argument.find(flag) != std::string_view::npos; };
    for (const Weakening& one : weakenings(names("mem_device"), names("mem_threadgroup")))
      mutants.push_back(
          {position, one.change, {marker.file, position.line, position.column, one.is_deleted, one.memory_flags}});
  }
  return mutants;
}

std::vector<BarrierMutant> barrier_mutants(const std::vector<air::ModuleBarrier>& barriers) {
  std::vector<BarrierMutant> mutants;
  for (const air::ModuleBarrier& barrier : barriers) {
    const auto has = [&](std::uint32_t flag) { return (barrier.memory_flags & flag) != 0; };
    for (const Weakening& one : weakenings(has(abi::mem_device), has(abi::mem_threadgroup)))
      mutants.push_back({{barrier.file, barrier.line, barrier.column},
                         one.change,
                         {barrier.file, barrier.line, barrier.column, one.is_deleted, one.memory_flags}});
  }
  return mutants;
}

Result<BarrierSweep> sweep_barriers(std::vector<BarrierMutant> mutants, const RunChanged& run) {
  const Result<std::vector<Report>> unchanged = run({});
  if (!unchanged) return tl::unexpected(unchanged.error());
  if (!unchanged->empty())
    return error(Error::Kind::execution, "the unchanged source is reported:\n" + to_string(unchanged->front()));
  BarrierSweep sweep;
  for (BarrierMutant& mutant : mutants) {
    Result<std::vector<Report>> reports = run(mutant.effect);
    if (!reports) return tl::unexpected(reports.error());
    mutant.reports = std::move(*reports);
    (mutant.reports.empty() ? sweep.survivors : sweep.reported).push_back(std::move(mutant));
  }
  return sweep;
}

}  // namespace assay::metal::emulator

#include "validation/transport/library/worker/fence.h"

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace assay::validation::transport {
namespace {

// Of linux/landlock.h, which may be older than the system. A ruleset must handle something: nobody makes block devices.
constexpr long create_ruleset = 444, restrict_self = 446;
constexpr std::uint32_t version_alone = 1;
constexpr std::uint64_t make_block = 1U << 11U, scope_signal = 1U << 1U;

}  // namespace

void fence() {
  const long version = syscall(create_ruleset, nullptr, 0, version_alone);
  if (version < 1) return;
  const std::array<std::uint64_t, 3> handled{make_block, 0, scope_signal};  // of files, networks, processes
  const std::size_t size = sizeof(std::uint64_t) * (version >= 6 ? 3U : 1U);
  const long ruleset = syscall(create_ruleset, handled.data(), size, 0U);
  if (ruleset < 0) return;
  prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
  syscall(restrict_self, static_cast<int>(ruleset), 0U);
  close(static_cast<int>(ruleset));
}

}  // namespace assay::validation::transport

#else

namespace assay::validation::transport {

void fence() {}

}  // namespace assay::validation::transport

#endif

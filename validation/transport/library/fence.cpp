#include "validation/transport/library/fence.h"

#ifdef __linux__
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace assay::validation::transport {
namespace {

// These stand in linux/landlock.h too, which may be older than the system.
constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;
constexpr std::uint32_t version_alone = 1;
constexpr int path_beneath = 1;
constexpr std::uint64_t move_between_folders = 1U << 13U, scope_signal = 1U << 1U;

#pragma pack(push, 1)
struct PathBeneath {
  std::uint64_t allowed;
  int folder;
};
#pragma pack(pop)

/// Below 1 where the system has no Landlock.
long version_of_landlock() {
  return syscall(create_ruleset, nullptr, 0, version_alone);
}

/// Moves stay allowed everywhere: every ruleset refuses those that no rule of it allows.
void allow_moves(int ruleset) {
  const int root = open("/", O_PATH | O_CLOEXEC);
  const PathBeneath rule{move_between_folders, root};
  syscall(add_rule, ruleset, path_beneath, &rule, 0U);
  close(root);
}

}  // namespace

bool can_fence() {
  return version_of_landlock() >= 2;
}

void fence() {
  if (!can_fence()) return;
  const std::array<std::uint64_t, 3> handled{move_between_folders, 0, scope_signal};  // of files, networks, processes
  const std::size_t size = sizeof(std::uint64_t) * (version_of_landlock() >= 6 ? 3U : 1U);
  const long ruleset = syscall(create_ruleset, handled.data(), size, 0U);
  if (ruleset < 0) return;
  allow_moves(static_cast<int>(ruleset));
  prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
  syscall(restrict_self, static_cast<int>(ruleset), 0U);
  close(static_cast<int>(ruleset));
}

}  // namespace assay::validation::transport

#else

namespace assay::validation::transport {

bool can_fence() {
  return false;
}

void fence() {}

}  // namespace assay::validation::transport

#endif

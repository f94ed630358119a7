#include "validation/transport/library/worker/numerics.h"

#include <dlfcn.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/memory/arena.h"
#include "metal/emulator/numerics/numeric_reports.h"
#include "metal/emulator/numerics/numerics.h"
#include "validation/transport/library/worker/algebra.h"

namespace assay::validation::transport {
namespace {

using namespace metal::emulator;  // NOLINT(google-build-using-namespace): most names here are from there

/// The state of the call, which the plug-in's threads share.
struct Following {
  std::mutex mutex;
  std::optional<Numerics> numerics;
  std::optional<PluginAlgebra> algebra;
  Follower* follower = nullptr;  ///< one of them; none between calls, in which threads may go on
};

Following& following() {
  static Following one;
  return one;
}

const abi::Position* no_position() {
  static constexpr abi::Position none{};
  return &none;
}

/// Calls use(follower) if there is a call.
template <class Use>
void with_follower(const Use& use) {
  Following& now = following();
  const std::scoped_lock lock(now.mutex);
  if (now.follower != nullptr) use(*now.follower);
}

assay_u32 operation(const abi::Site* site, assay_u32 code, assay_u32 count, const double* operands, double result,
                    const assay_u32* entries) {
  assay_u32 entry = 0;
  with_follower([&](Follower& all) { entry = all.operation(site, code, count, operands, result, entries); });
  return entry;
}

assay_u32 load(const void* address, double value) {
  assay_u32 entry = 0;
  with_follower([&](Follower& all) { entry = all.load(address, value); });
  return entry;
}

void store(const void* address, assay_u32 entry, assay_u32 bytes) {
  with_follower([&](Follower& all) { all.store(address, entry, bytes); });
}

void move(const void* to, const void* from, assay_u64 bytes) {
  with_follower([&](Follower& all) { all.move(to, from, bytes); });
}

void compare(const abi::Site* site, assay_u32 predicate, double left, double right, assay_u32 left_entry,
             assay_u32 right_entry) {
  with_follower([&](Follower& all) { all.compare(site, predicate, left, right, left_entry, right_entry); });
}

constexpr abi::NumericsServices services{operation, load, store, move, compare};

void set(void* followed_by, const abi::NumericsServices* to) {
  *static_cast<const abi::NumericsServices**>(followed_by) = to;
}

/// The outputs of a call, copied to where the emulator's measurement reads them.
struct Outputs {
  std::shared_ptr<Arena> arena = Arena::create();
  std::vector<std::unique_ptr<Allocation>> allocations;
  DispatchInfo dispatch;

  Outputs(const std::string& kernel, const Request& request, const std::byte* memory, Numerics& numerics) {
    dispatch.kernel = kernel;
    for (const Slot& slot : request.slots) {
      const std::uint64_t bytes = slot.end - slot.begin;
      if (slot.writable == 0 || bytes == 0 || slot.far.bytes > 0) continue;
      auto allocation = arena->allocate(bytes);
      if (!allocation) throw std::bad_alloc();
      std::memcpy(allocation->begin(), memory + slot.begin, bytes);
      numerics.move(allocation->begin(), memory + slot.begin, bytes);
      BoundMemory& bound = dispatch.memory.emplace_back();
      bound.allocation = allocation.get();
      bound.kind = BoundMemory::Kind::output;
      bound.name = slot.name.data();
      bound.element_bytes = slot.element;
      allocations.push_back(std::move(allocation));
    }
  }
};

}  // namespace

Hooks hooks_of(void* library) {
  return {dlsym(library, "assay_numerics_followed_by"), dlsym(library, "assay_numerics_unknown")};
}

FollowedCall::FollowedCall(const Hooks& hooks, std::string kernel, const Request& request, const std::byte* memory)
    : hooks_(hooks), kernel_(std::move(kernel)), request_(request), memory_(memory) {
  Following& now = following();
  const std::scoped_lock lock(now.mutex);
  const bool is_algebra = request.follows == Follows::algebra;
  if (is_algebra) {
    reference::chain_in_use = request.chain;
    reference::roots_are_turned = request.roots_are_turned != 0;
    now.follower = &now.algebra.emplace(request, memory);
  } else {
    now.follower = &now.numerics.emplace(no_position);
    now.numerics->begin_dispatch();
  }
  *static_cast<assay_u32*>(hooks_.unknown) = is_algebra ? PluginAlgebra::unknown : 0;
  set(hooks_.followed_by, &services);
}

FollowedCall::~FollowedCall() {
  Following& now = following();
  const std::scoped_lock lock(now.mutex);
  set(hooks_.followed_by, nullptr);
  now.follower = nullptr;
  now.numerics.reset();
  now.algebra.reset();
}

std::string FollowedCall::found() const {
  Following& now = following();
  const std::scoped_lock lock(now.mutex);
  return now.algebra ? now.algebra->residues() : to_bytes(findings());
}

NumericFindings FollowedCall::findings() const {
  Numerics& numerics = *following().numerics;
  const Outputs outputs(kernel_, request_, memory_, numerics);
  Losses losses = losses_of(numerics, outputs.dispatch);
  ReportLog log;
  report_origins(numerics, 0, outputs.dispatch, log);
  report_losses(numerics, losses, outputs.dispatch, log);
  NumericFindings found{log.reports(), {kernel_, std::move(losses), !numerics.tape().is_full()}};
  for (Report& warning : log.warnings()) found.reports.push_back(std::move(warning));
  return found;
}

}  // namespace assay::validation::transport

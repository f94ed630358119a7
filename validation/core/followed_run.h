// A run of a kernel whose results are known with their residues: of a shader, by the emulator, and of a plug-in that
// `assay instrument` compiled, by its process (docs/numerics.md).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference/formula/followed.h"
#include "validation/core/living.h"

namespace assay::validation {

/// What knows the residues of numbers that a device has copied to the host.
class FollowedMemory {
 public:
  virtual ~FollowedMemory() = default;
  /// None if the number at the address is not from there.
  virtual std::optional<reference::Residue> residue_at(const void* address, double value) const = 0;
  virtual void clear() = 0;
};

/// While it lives, kernels that are made run on the emulator with EmulatorOptions::with_algebra, and calls of plug-ins
/// are followed.
class FollowedRun : public Living<FollowedRun> {
 public:
  FollowedRun() = default;
  FollowedRun(const FollowedRun&) = delete;
  FollowedRun& operator=(const FollowedRun&) = delete;
  ~FollowedRun() { reference::chain_in_use = chain_before_; }

  /// A kernel was made, whose results will be known there.
  void follow(std::unique_ptr<FollowedMemory> memory) { memories_.push_back(std::move(memory)); }

  /// The number at the address has this residue.
  void give(const void* address, const reference::Residue& residue) { given_[address] = residue; }
  /// As give, of the number at `from`, if that is known.
  void did_copy(const void* to, const void* from) {
    if (const auto found = given_.find(from); found != given_.end()) give(to, found->second);
  }

  /// The residue of the number at the address, which a kernel has written; one that came another way is unknown.
  reference::Residue residue_at(const void* address, double value) const;
  template <class Real>
  std::vector<reference::Followed> numbers(std::span<Real> result) const {
    std::vector<reference::Followed> all;
    for (const Real& x : result) all.emplace_back(static_cast<double>(x), residue_at(&x, static_cast<double>(x)));
    return all;
  }

  /// Whether there is a kernel that can be followed.
  bool follows() const { return !memories_.empty() || !given_.empty(); }

  /// Another chain of primes is in use, and a further run follows.
  void begin_again();

 private:
  std::vector<std::unique_ptr<FollowedMemory>> memories_;
  std::size_t chain_before_ = reference::chain_in_use;
  std::unordered_map<const void*, reference::Residue> given_;
};

}  // namespace assay::validation

// Planted faults: kernels that are wrong in one step each, as published kernels have been, for testing the gate.
//
// A gate that passes such a kernel is itself faulty.
#pragma once

#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::validation {

template <class Operation>
struct Fault {
  std::string name;         ///< "skip-over-repeat"; its kernel is called "fault:skip-over-repeat"
  std::string description;  ///< what goes wrong, and the published bug it resembles, if any
  std::string caught_by;    ///< the property meant to catch it first
  std::shared_ptr<const typename Operation::Kernel> kernel;
  std::shared_ptr<const typename Operation::Kernel> healthy;  ///< the same kernel without the fault
  bool needs_reach = false;                                   ///< shows in needle cases alone (core/reach.h)
  /// Makes the kernel once more, with the state that a faulty kernel has at the start; empty where there is no state.
  std::function<std::shared_ptr<const typename Operation::Kernel>()> fresh = {};
  bool needs_sizes = false;  ///< shows in the operation's sized cases alone
};

/// The texts of a fault. A fault that is a class has the member `static constexpr FaultNote note`.
struct FaultNote {
  const char* name;
  const char* description;
  const char* caught_by;
};

/// A kernel of which a fault may change the name and the claims: the base of the plain kernels.
template <class Kernel>
class RenamedKernel : public Kernel {
 public:
  const typename Kernel::Info& info() const override { return info_; }
  /// For a fault, which may keep a state from call to call.
  void rename(std::string name) {
    info_.name = std::move(name);
    info_.support.can_be_forked = false;
  }

 protected:
  typename Kernel::Info info_;
};

/// The kernel `Faulty`, which differs from `healthy` by its fault.
template <class Operation, class Faulty>
Fault<Operation> plant(std::shared_ptr<const typename Operation::Kernel> healthy) {
  const auto fresh = []() -> std::shared_ptr<const typename Operation::Kernel> {
    const auto kernel = std::make_shared<Faulty>();
    kernel->rename("fault:" + std::string(Faulty::note.name));
    return kernel;
  };
  return {
      Faulty::note.name, Faulty::note.description, Faulty::note.caught_by, fresh(), std::move(healthy), false, fresh};
}

/// As above, for each of several faulty kernels.
template <class Operation, class... Faulty>
std::vector<Fault<Operation>> plant_all(const std::shared_ptr<const typename Operation::Kernel>& healthy) {
  return {plant<Operation, Faulty>(healthy)...};
}

/// The faults of several files, in the order of the files.
template <class Operation>
std::vector<Fault<Operation>> joined_faults(std::initializer_list<std::vector<Fault<Operation>> (*)()> themes) {
  std::vector<Fault<Operation>> all;
  for (const auto theme : themes) {
    std::vector<Fault<Operation>> planted = theme();
    all.insert(all.end(), std::make_move_iterator(planted.begin()), std::make_move_iterator(planted.end()));
  }
  return all;
}

}  // namespace assay::validation

// Planted faults: kernels that are wrong in one step each, as published kernels have been, for testing the gate.
//
// A gate is worth what it catches: one that passes any of them is itself faulty.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace assay::validation {

template <class Operation>
struct Fault {
  std::string name;       ///< "skip-over-repeat"; its kernel is called "fault:skip-over-repeat"
  std::string story;      ///< what goes wrong, and the report it resembles where there is one
  std::string caught_by;  ///< the property meant to catch it first
  std::shared_ptr<const typename Operation::Kernel> kernel;
  std::shared_ptr<const typename Operation::Kernel> healthy;  ///< the same without the fault
};

/// The texts of a fault. The class of every fault that is a class has one as `static constexpr FaultNote note`.
struct FaultNote {
  const char* name;
  const char* story;
  const char* caught_by;
};

/// The kernel `Faulty`, which differs from `healthy` by its fault.
template <class Operation, class Faulty>
Fault<Operation> plant(std::shared_ptr<const typename Operation::Kernel> healthy) {
  const auto kernel = std::make_shared<Faulty>();
  kernel->rename("fault:" + std::string(Faulty::note.name));
  return {Faulty::note.name, Faulty::note.story, Faulty::note.caught_by, kernel, std::move(healthy)};
}

}  // namespace assay::validation

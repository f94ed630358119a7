// What the operations have in common on a GPU: a problem whose large arrays are elsewhere is encoded in the caller's
// memory and on its stream, or recorded as a plan. A class says what an operation is:
//
//   name                        of the function of Python, and with "_plan" of the one that records
//   Host                        of metal/host
//   given                       the problem: what metal::with_types takes
//   prepare(host, problem, wanted)   the plan for the results that are wanted
//   buffers(plan, part)         its buffers, each by part(name, bytes)
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "metal/device/or_throw.h"
#include "validation/python/gpu/gpu.h"
#include "validation/python/gpu/plan.h"
#include "validation/python/kernels/arrays.h"

namespace assay::python {

/// The caller's tensors: their addresses, by the names of arguments and results; of one that is absent, none.
using Addresses = std::map<std::string, std::uint64_t>;
using Names = std::set<std::string>;

/// The sweeps that each matrix took, written by the commands.
inline std::span<const std::uint32_t> sweeps_in(const metal::BufferPart& status, std::uint64_t bytes) {
  if (bytes == 0) return {};
  return {reinterpret_cast<const std::uint32_t*>(status.buffer->contents()), bytes / sizeof(std::uint32_t)};
}

/// Encodes and commits. Waits only for results that say themselves whether they are right.
template <class Operation, class Problem>
void launch(const Place& place, const Problem& problem, const Addresses& at) {
  Names wanted;
  for (const auto& [name, address] : at) wanted.insert(name);
  Gpu& gpu = Gpu::at(place.ordinal);
  auto lock = gpu.lock();
  const auto plan = metal::or_throw(Operation::prepare(gpu.host<typename Operation::Host>(), problem, wanted));
  if (plan.command_ranges().empty()) return;
  const auto buffers = Operation::buffers(plan, [&](const std::string& name, std::uint64_t bytes) {
    return at.contains(name) ? gpu.adopt(at.at(name), bytes) : gpu.allocate(bytes);
  });
  const auto commands =
      gpu.commit(place.stream, [&](metal::ComputeCommandEncoder& encoder) { return plan.encode(encoder, buffers); });
  if constexpr (requires { buffers.status; }) {
    lock.unlock();
    metal::or_throw(commands->wait_until_completed());
    metal::or_throw(plan.check_status(sweeps_in(buffers.status, plan.status_bytes())));
  }
}

/// The plan as dict_of says; where the results say whether they are right, with "check", which takes the "status" and
/// throws std::runtime_error.
template <class Operation, class Problem>
pybind11::dict recorded(const metal::host::RecordingOptions& limits, const Problem& problem, const Names& wanted) {
  const auto device = metal::host::RecordingDevice::create(limits);
  const auto host = metal::or_throw(Operation::Host::create(device));
  const auto plan = metal::or_throw(Operation::prepare(host, problem, wanted));
  const auto buffers =
      Operation::buffers(plan, [&](const std::string& name, std::uint64_t bytes) { return device->part(name, bytes); });
  std::vector<std::size_t> ends;
  for (const auto& range : plan.command_ranges()) {
    metal::or_throw(device->record([&](metal::ComputeCommandEncoder& encoder) {
      return plan.encode(encoder, buffers, range.first, range.count);
    }));
    ends.push_back(device->dispatches().size());
  }
  pybind11::dict result = dict_of(*device, ends);
  if constexpr (requires { plan.status_bytes(); })
    result["check"] = pybind11::cpp_function([plan](const pybind11::buffer& status) {
      metal::or_throw(plan.check_status(elements<const std::uint32_t>("status", status)));
    });
  return result;
}

/// Adds the class of the operation's problems, and the functions that launch and record one.
template <class Operation, class Make>
void add_operation(pybind11::module_& module, const char* problem_name, Make make) {
  const std::string name = Operation::name;
  pybind11::class_<Operation>(module, problem_name, pybind11::module_local()).def(pybind11::init(make));
  module.def(name.c_str(), [](int ordinal, std::uint64_t stream, const Operation& operation, const Addresses& at) {
    const Computing computing;
    metal::with_types(operation.given, {},
                      [&](const auto& problem, const auto&) { launch<Operation>({ordinal, stream}, problem, at); });
  });
  module.def((name + "_plan").c_str(), [](const Operation& operation, const Names& wanted, std::uint64_t working_set,
                                          const std::map<std::string, std::uint32_t>& max_threads) {
    pybind11::dict result;
    metal::with_types(operation.given, {}, [&](const auto& problem, const auto&) {
      const DefaultArithmetic arithmetic;
      result = recorded<Operation>({working_set, max_threads}, problem, wanted);
    });
    return result;
  });
}

}  // namespace assay::python

// Threadgroup variables of a compiled kernel: globals of address space 3. In each function that names one, its address
// is asked of the emulator first, and constant expressions of it are computed there. For NVIDIA GPUs, which have the
// same address space, the address is cast.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/air/target.h"

namespace assay::metal::emulator::air {

class ThreadgroupVariables {
 public:
  explicit ThreadgroupVariables(Target target) : is_for_gpu_(target == Target::nvidia) {}

  /// "@x = internal addrspace(3) global [32 x float] undef, align 4".
  Result<void> declare(std::string_view line);

  /// The lines of a function's body, in which the variables are local values. `debug` is the place of its begin.
  std::string with_addresses(const std::string& body, const std::string& debug) const;

  std::string definitions() const;

 private:
  struct Variable {
    std::string name, type;  ///< "@x"
    unsigned alignment = 16;
  };
  std::string address_of(std::size_t n, const std::string& debug) const;

  std::vector<Variable> variables_;
  bool is_for_gpu_;
};

}  // namespace assay::metal::emulator::air

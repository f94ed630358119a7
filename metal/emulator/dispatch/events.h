// The words of reports for what a thread does.
#pragma once

#include <string>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/check/report.h"

namespace assay::metal::emulator {

SourcePosition position_of(const abi::Site& site);

/// "waiting at simd_sum"
std::string waiting_at(const abi::Site& site);

/// "an integer division or remainder by zero"
std::string undefined_in_words(abi::IntegerOperation operation);

/// "7 of int, divided by 0 of int"
std::string operands_in_words(abi::IntegerOperation operation, const abi::IntegerOperand& left,
                              const abi::IntegerOperand& right);

}  // namespace assay::metal::emulator

// What following the floating-point operations of a plug-in's call found, and its way from the worker to the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/check/report.h"
#include "metal/emulator/numerics/losses.h"

namespace assay::validation::transport {

struct NumericFindings {
  std::vector<metal::emulator::Report> reports;  ///< and warnings
  metal::emulator::DispatchLosses losses;
};

/// As CBOR, which has NaN and infinities.
std::string to_bytes(const NumericFindings& findings);

/// Throws std::runtime_error if `bytes` are none that to_bytes made.
NumericFindings findings_of(std::string_view bytes);

}  // namespace assay::validation::transport

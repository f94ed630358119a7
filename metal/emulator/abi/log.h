// A value of a message of os_log. Compiled on both sides, as shader_abi.h.
#pragma once

namespace assay::metal::emulator::abi {

enum class LogKind : unsigned { integer, floating, text };

struct LogValue {
  LogKind kind = LogKind::integer;
  unsigned bytes = 4;       ///< of one number
  unsigned components = 1;  ///< up to 4
  long integers[4] = {};
  double numbers[4] = {};
  const char* text = nullptr;
};

}  // namespace assay::metal::emulator::abi

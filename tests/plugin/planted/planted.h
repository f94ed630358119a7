// Functions that make a NaN or lose digits at a known line, behind the interface of a cross-entropy plug-in.
#pragma once

#include <cstdint>
#include <vector>

namespace planted {

/// Reads x [n], which is 0, 1, 2, ..., and writes y [n].
using Function = void (*)(const float* x, float* y, std::int64_t n);

/// In the order of their definitions.
inline std::vector<Function>& functions() {
  static std::vector<Function> all;
  return all;
}

struct Entry {
  explicit Entry(Function function) { functions().push_back(function); }
};

/// In another source.
float mean_of_squares(const float* x, std::int64_t n, float offset);

}  // namespace planted

#define PLANTED(name)                                  \
  void name(const float* x, float* y, std::int64_t n); \
  const planted::Entry name##_entry(name);             \
  void name([[maybe_unused]] const float* x, float* y, std::int64_t n)

// In which of the arithmetics that Metal permits a shader is computed: docs/numerics.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::metal::emulator {

/// `ieee`: every operation is rounded to nearest by itself, as the emulator computes if not told otherwise, which each
/// mode permits. The others are named as MTLMathMode's and give, of what that mode permits, what is worst for the
/// shader. `safe` has the precise functions of float, `relaxed` and `fast` the fast ones. The numbers are those of
/// ASSAY_ARITHMETIC in emulator/include/assay/arithmetic.h.
enum class MathMode : std::uint8_t { ieee, safe, relaxed, fast };

/// The names of the modes that a user may ask for.
inline constexpr std::array<const char*, 3> math_mode_names = {"safe", "relaxed", "fast"};

constexpr std::optional<MathMode> math_mode_called(std::string_view name) {
  for (std::size_t n = 0; n < math_mode_names.size(); ++n)
    if (name == math_mode_names[n]) return static_cast<MathMode>(n + 1);
  return std::nullopt;
}

}  // namespace assay::metal::emulator

// Small changes to a line of LLVM's text.
#pragma once

#include <string>
#include <string_view>

namespace assay::metal::emulator::air {

inline constexpr auto npos = std::string_view::npos;

/// A function's or an instruction's line without address spaces, without what promises something to an optimiser that
/// the emulator does not (integers that do not overflow, memory that is not aliased or not written, liberties with
/// floating-point numbers), and without attributes that are texts.
std::string without_promises(std::string_view line);

/// The attributes of a group that may stay: "attributes #3 = { convergent nounwind }".
std::string plain_attributes(std::string_view line);

/// "local_max" of "@_ZZ7softmaxIfEvPKfE9local_max", for messages.
std::string plain_name(std::string_view variable);

/// Replaces all of `from` by `to`.
std::string replaced(std::string text, std::string_view from, std::string_view to);

/// Text in quotes as LLVM writes it.
std::string quoted_text(std::string_view text);

/// The end of the name that begins at `at` with @ or %.
std::size_t end_of_name(std::string_view text, std::size_t at);

/// The parenthesis that closes the one at `open`; npos if there is none.
std::size_t closing(std::string_view text, std::size_t open);

}  // namespace assay::metal::emulator::air

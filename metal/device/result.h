// Errors as values: what can fail in the device layer returns a value or an error.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace assay::metal {

struct Error {
  enum class Kind {
    argument,       ///< a value that the call does not accept
    environment,    ///< a file, a compiler or a folder is missing or does not work
    compile,        ///< the shader does not compile
    lint,           ///< the shader compiles here, and Apple's compiler would refuse it
    not_found,      ///< no such function or function constant
    limit,          ///< more than the device has: threads, threadgroup memory, buffer length
    binding,        ///< a buffer that a kernel takes is missing, too short or misaligned
    stale_encoder,  ///< an encoder used after an allocation or copy on the device, or after its end
    order,          ///< a call out of order, for example a second commit
    execution,      ///< the kernel failed while it ran
  };
  Kind kind = Kind::argument;
  std::string text;  ///< names the argument, its value and what was expected; Metal's own text if there is one

  bool operator==(const Error&) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> error(Error::Kind kind, std::string text) {
  return tl::make_unexpected(Error{kind, std::move(text)});
}

}  // namespace assay::metal

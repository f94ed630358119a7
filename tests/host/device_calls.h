// What must hold of the calls that any host makes of a device: their order, the buffers, and that each failure is told.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "tests/host/host_stream.h"

namespace assay::metal::test {

/// A host and its outputs, of one problem.
struct HostRun {
  std::function<Result<void>(HostStream&)> run;  ///< makes the host, of kernels in absent.metal, and calls it once
  std::function<bool()> outputs_are_untouched;
};
using NewHostRun = std::function<HostRun()>;

/// Every call that may fail fails once, with an error and with nothing. The result then says what was being done, no
/// output is written, and everything is freed.
void expect_each_failure_is_told(const NewHostRun& new_run);

/// Kernels and buffers are made before the encoder is fetched, each once. Between fetching an encoder and ending it
/// there is no other call that may fail. Every command buffer is encoded, ended, committed and waited for once. All
/// that was made is used by a dispatch.
void expect_calls_in_order(const NewHostRun& new_run, int command_buffers);

/// The buffers are those of `needed`, by label; each has at least the bytes needed, and less than twice as many.
void expect_buffers(const NewHostRun& new_run, const std::map<std::string, std::uint64_t>& needed);

/// An error of the commands is told, and so is that they did not complete.
void expect_failed_commands_are_told(const NewHostRun& new_run);

/// The encoder is ended where encoding went wrong: Metal ends the process where one goes open.
void expect_encoder_is_ended(const NewHostRun& new_run);

}  // namespace assay::metal::test

// assay_plugin_worker LIBRARY OPERATION [OPERATIONS...]: loads and calls a plug-in in a separate process.
// validation/transport/library/worker_process.cpp starts the worker with an open socket and shared memory.
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "validation/core/call_time.h"
#include "validation/transport/library/fence.h"
#include "validation/transport/library/protocol.h"
#include "validation/transport/library/started.h"
#include "validation/transport/library/worker/arrays.h"
#include "validation/transport/library/worker/faults.h"
#include "validation/transport/library/worker/load.h"
#include "validation/transport/library/worker/numerics.h"
#include "validation/transport/library/worker/socket.h"

namespace assay::validation::transport {
namespace {

/// Limits the size of files, so that a plug-in cannot fill the disk.
void limit_files() {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0}, some{.rlim_cur = 1U << 26U, .rlim_max = 1U << 26U};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_FSIZE, &some);
  std::signal(SIGXFSZ, SIG_IGN);
}

/// Puts what the call's floating-point operations show, if it is wanted, in `findings`.
int call(const Loaded& loaded, Request& request, char* message, std::string& findings) {
  std::optional<Arrays> all;
  try {
    all.emplace(request);
  } catch (const std::system_error& none) {
    std::snprintf(message, message_size, "%s", none.what());
    return ASSAY_UNSUPPORTED;
  }
  const Arrays& arrays = *all;
  const MemoryLimit limit(arrays.are_far());
  std::optional<FollowedCall> followed;
  if (request.follows != Follows::nothing && loaded.hooks.unknown != nullptr)
    followed.emplace(loaded.hooks, loaded.symbol, request, arrays.memory());
  if (loaded.set_threads != nullptr && request.threads > 0) loaded.set_threads(request.threads);
  const auto inputs = arrays.described(false), outputs = arrays.described(true);
  const int status = loaded.run(request.operation.data(), inputs.data(), inputs.size(), outputs.data(), outputs.size(),
                                message, message_size);
  arrays.leave();
  if (followed && status == ASSAY_OK) findings = followed->found();
  return status;
}

/// Catches exceptions, because a plug-in in C++ may throw instead of returning ASSAY_FAILED.
int call_and_catch(const Loaded& loaded, Request& request, char* message, std::string& findings) {
  try {
    return call(loaded, request, message, findings);
  } catch (const std::exception& thrown) {
    std::snprintf(message, message_size, "run threw %s", thrown.what());
  } catch (...) {
    std::snprintf(message, message_size, "run threw what is no std::exception");
  }
  return ASSAY_FAILED;
}

[[noreturn]] void serve(const char* path, const std::string& operation, const std::vector<std::string>& operations) {
  fence();  // before there are other threads
  limit_files();
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // so that its output is complete if it crashes
  leave_when_closed(socket_file);            // with the program
  report_faults();
  Answer declared;
  const Loaded loaded = load(path, operation, operations, declared);
  send(declared);
  for (Request request; receive(request);) {
    Answer answer;
    answer.event = Event::returned;
    answer.call = request.call;
    report_faults_of(request.call);
    const double before = processor_time();
    std::string findings;
    answer.status = call_and_catch(loaded, request, answer.message.data(), findings);
    answer.processor_time = processor_time() - before;
    answer.message.back() = 0;
    answer.findings_bytes = findings.size();
    send(answer);
    send(findings);
  }
  leave();  // without running the plug-in's destructors
}

}  // namespace
}  // namespace assay::validation::transport

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("assay_plugin_worker calls a plug-in for `assay gate --kernel LIBRARY`; it is not started by hand.\n",
               stderr);
    return 2;
  }
  assay::validation::transport::serve(argv[1], argv[2], {argv + 3, argv + argc});
}

// What the package needs to call a kernel: a guard against the C library's exit, which would end the process without a
// verdict and look like success; the deadline of a call in another process; what such a process may do, and its end.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "validation/core/call_deadline.h"
#include "validation/core/file.h"
#include "validation/python/bindings.h"
#include "validation/transport/library/fence.h"
#include "validation/transport/library/started.h"

namespace assay::python {
namespace {

std::atomic<int> calls = 0;     ///< of kernels, in all threads
std::atomic<pid_t> caller = 0;  ///< this process: a copy of it by fork may call exit

void refuse_success() {
  if (calls == 0 || caller != getpid()) return;
  constexpr std::string_view text = "assay: the kernel ended the process by exit(): there is no verdict\n";
  static_cast<void>(validation::write_all(STDERR_FILENO, text));
  _exit(1);
}

}  // namespace

void add_kernel_calls(pybind11::module_& core) {
  std::atexit(refuse_success);
#if defined(__GLIBC__)  // macOS has no at_quick_exit before version 15
  std::at_quick_exit(refuse_success);
#endif
  core.def(
      "guard_exit",
      [](bool begins) {
        caller = getpid();
        calls += begins ? 1 : -1;
      },
      "Says that a call of a kernel begins, or has ended: in between, exit() ends the process with status 1.");
  namespace transport = validation::transport;
  core.def("can_fence", &transport::can_fence, "Whether the system can restrict the process of a kernel.");
  core.def("new_mark", &transport::new_mark, "A variable, NAME=VALUE, of the environment of a kernel's process.");
  core.def("end_marked", &transport::end_marked, pybind11::arg("mark"),
           "Ends the processes that inherited the variable.");
  core.def(
      "be_fenced",
      [](int file) {
        transport::fence();  // before there are other threads
        transport::leave_when_closed(file);
      },
      pybind11::arg("file"),
      "Restricts this process as that of a kernel; it ends when the other end of the file is closed.");
  using validation::CallDeadline;
  pybind11::class_<CallDeadline>(core, "CallDeadline", "When a call in another process has taken too long.")
      .def(pybind11::init<double, pid_t>())
      .def_readonly_static("patience_for_waiting", &CallDeadline::patience_for_waiting)
      .def("is_over", &CallDeadline::is_over)
      .def("milliseconds", &CallDeadline::milliseconds)
      .def("text", &CallDeadline::text);
}

}  // namespace assay::python

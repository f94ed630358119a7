#include "validation/transport/library/worker/faults.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <optional>

#include "metal/system/system.h"
#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {
namespace {

// Static, because the signal handler may not allocate.
Answer fault;
volatile std::uintptr_t memory_begin = 0, memory_end = 0;
std::array<std::byte, 65536> handler_stack;

/// 1 for a write, 0 for a read, 2 if unknown on this machine.
std::uint32_t is_write(const void* context) {
  const std::optional<bool> known = metal::system::is_write(context);
  return known ? std::uint32_t{*known} : 2;
}

void report(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);  // NOLINT: the address is reported
  fault.signal = signal;
  fault.has_address = metal::system::has_address(*info) ? 1 : 0;
  fault.is_write = is_write(context);
  fault.in_memory = fault.has_address != 0 && address >= memory_begin && address < memory_end ? 1 : 0;
  fault.address = fault.in_memory != 0 ? address - memory_begin : address;
  const auto* bytes = reinterpret_cast<const char*>(&fault);
  for (std::size_t sent = 0; sent < sizeof fault;) {
    const ssize_t count = write(socket_file, bytes + sent, sizeof fault - sent);
    if (count <= 0) break;
    sent += static_cast<std::size_t>(count);
  }
  _exit(128 + signal);
}

}  // namespace

void report_faults() {
  fault.event = Event::faulted;
  const stack_t stack{.ss_sp = handler_stack.data(), .ss_flags = 0, .ss_size = handler_stack.size()};
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = report;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

void report_faults_of(std::uint64_t call) {
  fault.call = call;
}

void report_offsets_into(const std::byte* memory, std::size_t size) {
  memory_begin = reinterpret_cast<std::uintptr_t>(memory);
  memory_end = memory_begin + size;
}

}  // namespace assay::validation::transport

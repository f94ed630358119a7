#include "validation/transport/library/worker/socket.h"

#include <unistd.h>

#include <cerrno>

namespace assay::validation::transport {

void write_all(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t count = write(socket_file, bytes + sent, size - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(1);
    sent += static_cast<std::size_t>(count);
  }
}

void write_all(const Answer& answer) {
  write_all(&answer, sizeof answer);
}

bool read_all(Request& request) {
  auto* bytes = reinterpret_cast<char*>(&request);
  for (std::size_t got = 0; got < sizeof request;) {
    const ssize_t count = read(socket_file, bytes + got, sizeof request - got);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    got += static_cast<std::size_t>(count);
  }
  return request.magic == protocol;
}

}  // namespace assay::validation::transport

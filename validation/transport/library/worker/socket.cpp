#include "validation/transport/library/worker/socket.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "validation/core/file.h"

namespace assay::validation::transport {

void send(std::string_view bytes) {
  if (!write_all(socket_file, bytes)) _exit(1);
}

void send(const Answer& answer) {
  send(std::string_view(reinterpret_cast<const char*>(&answer), sizeof answer));
}

bool receive(Request& request) {
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

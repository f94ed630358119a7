// assay instrument: compiles a plug-in so that `assay gate --explain` can follow its floating-point operations.
#include "validation/cli/commands.h"
#include "validation/transport/library/instrument.h"

namespace assay::validation {

void add_instrument_command(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("instrument", "Compile a plug-in so that gate --explain can follow its operations");
  command->footer("For example: assay instrument clang++ -O1 -shared -fPIC mine.cpp -o libmine.so");
  command->prefix_command();
  command->callback([&action, command] {
    action = [words = command->remaining()] { return transport::compile_instrumented(words); };
  });
}

}  // namespace assay::validation

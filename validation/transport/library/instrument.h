// Compiles a plug-in so that `assay gate --explain` can follow its floating-point operations: docs/numerics.md.
#pragma once

#include <string>
#include <vector>

namespace assay::validation::transport {

/// Runs clang's command line `command`, as "clang++ -shared -fPIC mine.cpp -o libmine.so", with each source in C and
/// C++ instrumented on the way. Prints clang's messages to standard error, and returns its exit status. Throws
/// std::invalid_argument, naming the word, if the command has no compiler, or asks for what cannot be done.
int compile_instrumented(const std::vector<std::string>& command);

}  // namespace assay::validation::transport

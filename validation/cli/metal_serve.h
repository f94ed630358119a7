// assay metal serve: a shader with a binding answers calls on standard input. The Python package judges shaders of
// operations that are formulas by this command.
//
// A message is a line of JSON; the elements of arrays follow as raw doubles:
//
// - in: {"operation": "softmax", "variables": ["N", "D"], "arrays": [{"name": "x", "type": "", "is_output": false}]}
// - out: {"status": "ok"}
// - in: {"variables": {"N": 2, "D": 3}, "inputs": [["x", 6]], "outputs": [["output0", 6]]}, the elements of the inputs
// - out: {"status": "ok"}, the elements of the outputs; or {"status": "failed", "says": "..."}
//
// With "algebra": true in the first message, the shader is followed: each call says which chain of primes its residues
// are of and which signs roots have, "chain": [0, false], and behind the elements of all outputs come their residues, 32
// bytes each.
#pragma once

#include <iosfwd>
#include <string>

namespace assay::validation {

/// Serves until the input ends. `name` is the binding's path. Returns the exit status.
int serve_shader(const std::string& name, std::istream& in, std::ostream& out);

}  // namespace assay::validation

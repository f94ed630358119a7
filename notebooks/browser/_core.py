"""In place of the compiled module, where Python runs in a browser: the references' steps as WebAssembly, which the lattice's
page has too, from the text of a request to that of the response."""

from pathlib import Path
from typing import Any, Callable

HERE = Path(__file__).parent

# Instantiated at once, and not by a promise: an import cannot wait. The engine keeps what it exports in the object given.
START = """((source, machineCode) => {
  const engine = {
    instantiateWasm(imports, ready) {
      const instance = new WebAssembly.Instance(new WebAssembly.Module(machineCode), imports);
      ready(instance);
      return instance.exports;
    },
  };
  new Function("process", source + "; return createEngine")(undefined)(engine);  // whatever runs it, it is no Node
  return (name, request) => engine.cwrap(name, "string", ["string"])(request);
})"""


def _started() -> Callable[[str, str], str]:
    import js
    from pyodide.ffi import to_js

    start: Any = js.eval(START)
    return start((HERE / "engine.js").read_text(), to_js((HERE / "engine.wasm").read_bytes()))


_call = _started()


def ctc_steps(request: str) -> str:
    return _call("ctc_steps", request)


def alignment_steps(request: str) -> str:
    return _call("alignment_steps", request)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"{name} is not in the browser's part of assay, which has steps.ctc and steps.alignments: "
                              "install the package on a machine of your own")  # fmt: skip

// The project's C++ reference, compiled to WebAssembly: JSON in, JSON out. `createEngine` is Emscripten's, from the
// script before this one; the machine code is in the page, compressed.

async function machineCode() {
  const packed = document.getElementById("machine-code").textContent.trim();
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacked).arrayBuffer();
}

/** The functions of validation/steps/steps.h, from request to response. */
export async function startEngine() {
  const module = await createEngine({ wasmBinary: await machineCode() });
  const [steps, alignments] = ["ctc_steps", "alignment_steps"].map((name) => module.cwrap(name, "string", ["string"]));
  return {
    ctcSteps: (request) => JSON.parse(steps(JSON.stringify(request))),
    alignmentSteps: (request) => JSON.parse(alignments(JSON.stringify(request))),
  };
}

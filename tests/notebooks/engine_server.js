// Answers requests by the references' WebAssembly, outside of a browser: engine_server.js ENGINE.js, lines [function, request]
// in, each response as a line of JSON out.
const lines = require("readline").createInterface({ input: process.stdin });
require(process.argv[2])().then((engine) => {
  lines.on("line", (line) => {
    const [name, request] = JSON.parse(line);
    process.stdout.write(JSON.stringify(engine.cwrap(name, "string", ["string"])(request)) + "\n");
  });
});

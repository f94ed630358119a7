// Answers requests by the page's WebAssembly outside of a browser: answer.js ENGINE.js, lines [function, request] in,
// lines of responses out.
const lines = require("fs").readFileSync(0, "utf8").split("\n").filter(Boolean);
require(process.argv[2])().then((engine) => {
  for (const line of lines) {
    const [name, request] = JSON.parse(line);
    console.log(engine.cwrap(name, "string", ["string"])(request));
  }
});

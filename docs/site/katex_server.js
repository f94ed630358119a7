// Formulas to HTML by KaTeX: a line {"tex": ..., "display": true} in, a line {"html": ...} or {"error": ...} out.
"use strict";
const katex = require("katex");
const lines = require("readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const { tex, display } = JSON.parse(line);
  const answer = {};
  try {
    answer.html = katex.renderToString(tex, { displayMode: display, strict: "error", throwOnError: true });
  } catch (error) {
    answer.error = error.message;
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});

// Formulas as MathML, from a line of text: α_{t-1}(s) + β^{in}_t(s), \frac{a}{b}, \sum_{s∈lab(k)}. No library is needed:
// browsers draw MathML themselves.

const space = "http://www.w3.org/1998/Math/MathML";

function node(name, ...children) {
  const made = document.createElementNS(space, name);
  made.append(...children);
  return made;
}

const tokens = (text) => text.match(/\\[a-z]+|[A-Za-z]{2,}|\d+(?:\.\d+)?|\p{L}\p{M}*|\S/gu) ?? [];

/** One thing to which an index can belong: a group, a fraction, a name, a number, a sign. */
function parseAtom(rest) {
  const token = rest.shift();
  if (token === "{") return parseRow(rest, "}");
  if (token === "\\frac") return node("mfrac", parseAtom(rest), parseAtom(rest));
  if (token === "\\sum") return node("mo", "∑");
  if (token === "\\prod") return node("mo", "∏");
  if (token === "'") return node("mo", "′");
  if (/^\d/.test(token)) return node("mn", token);
  if (/^\p{L}/u.test(token)) return node("mi", token);
  const sign = node("mo", token === "-" ? "−" : token);
  sign.setAttribute("stretchy", "false");
  return sign;
}

function parseScripted(rest) {
  let atom = parseAtom(rest);
  const large = /[∑∏]/.test(atom.textContent) && atom.localName === "mo";
  if (rest[0] === "'") atom = node("mrow", atom, parseAtom(rest));
  const scripts = {};
  while (rest[0] === "_" || rest[0] === "^") scripts[rest.shift()] = parseAtom(rest);
  const { _: below, "^": above } = scripts;
  if (below && above) return node("msubsup", atom, below, above);
  if (below) return node(large ? "munder" : "msub", atom, below);
  return above ? node("msup", atom, above) : atom;
}

function parseRow(rest, end) {
  const row = node("mrow");
  while (rest.length > 0 && rest[0] !== end) row.append(parseScripted(rest));
  rest.shift();
  return row;
}

/** <math> of the text; on a line of its own where `display` is set, and with the number of its equation. */
export function formula(text, { display = false, equation = "" } = {}) {
  const math = node("math", parseRow(tokens(text)));
  if (!display) return math;
  math.setAttribute("display", "block");
  const line = document.createElement("div");
  line.className = "equation";
  line.append(math);
  if (equation) {
    const number = document.createElement("span");
    number.className = "equation-number";
    number.textContent = "(" + equation + ")";
    line.append(number);
  }
  return line;
}

/** A text in which what stands between $ is a formula: a paragraph's children. */
export const prose = (text) => text.split("$").map((part, i) => i % 2 ? formula(part) : part);

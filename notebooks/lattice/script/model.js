// What the reference says of a state: every quantity in the number type chosen, and again with 50 digits, which is what
// tells a number that was lost from one that is 0.

import { absolute, difference, isLarger, kindOf } from "./numbers.js";
import { requestOf } from "./state.js";

/** More alignments than this are counted, not listed. */
export const MOST_LISTED = 300;

/** And of more sequences than this, those that are alignments are not sought. */
const MOST_TRIES = 80_000;

const memory = new Map();

/** The response to a request; the last few are remembered, since most changes of the state change few of them. */
function asked(ask, request) {
  const key = ask.name + JSON.stringify(request);
  const answer = memory.get(key) ?? ask(request);
  memory.delete(key);
  memory.set(key, answer);
  if (memory.size > 16) memory.delete(memory.keys().next().value);
  if (answer.error) throw new Error(answer.error);
  return answer;
}

/** Whether there is nothing: 0, or minus infinity where the text is a logarithm. */
export const isNone = (text, logarithm) => logarithm ? text === "-inf" : kindOf(text) === "zero";

/** Whether nothing is left of a number that is something. */
export const isLost = (text, exactText, logarithm) => isNone(text, logarithm) && !isNone(exactText, logarithm);

/** How many cells of a matrix were lost. */
export const lostIn = (rows, exactRows, logarithms) => rows.reduce((count, row, t) =>
  count + row.filter((text, i) => isLost(text, exactRows[t][i], logarithms)).length, 0);

/** The largest |a - b| of two matrices, "nan" where a number of `rows` is none. */
export function largestError(rows, exactRows) {
  let largest = "0";
  for (const [t, row] of rows.entries()) {
    for (const [i, text] of row.entries()) {
      const error = absolute(difference(text, exactRows[t][i]));
      if (error === "nan") return "nan";
      if (isLarger(error, largest)) largest = error;
    }
  }
  return largest;
}

/** The alignments, listed and with their probabilities where few have to be tried. */
export function alignmentsOf(engine, state) {
  const { labels, logits, number } = requestOf(state);
  return asked(engine.alignmentSteps, { labels, blank: 0, T: state.T, logits, number, most_tries: MOST_TRIES });
}

export function computed(engine, state) {
  const request = requestOf(state);
  const response = asked(engine.ctcSteps, request);
  const exact = asked(engine.ctcSteps, requestOf(state, "50"));
  return { state, request, response, exact, logarithms: state.space === "log" };
}

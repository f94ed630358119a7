// The chosen cell's own equation with the numbers put in, and what each missing term would have been.

import { element } from "./elements.js";
import { formula } from "./formula.js";
import { isLive } from "./lattice.js";
import { short } from "./numbers.js";
import { skipTo, spoken, visible } from "./words.js";

const equations = {
  alpha: ["α_t(s) = (α_{t-1}(s) + α_{t-1}(s-1) + α_{t-1}(s-2)) y_t(ℓ'_s)", "6, 7"],
  beta_including: ["β^{in}_t(s) = (β^{in}_{t+1}(s) + β^{in}_{t+1}(s+1) + β^{in}_{t+1}(s+2)) y_t(ℓ'_s)", "10, 11"],
  beta_excluding: ["β^{ex}_t(s) = β^{in}_{t+1}(s) + β^{in}_{t+1}(s+1) + β^{in}_{t+1}(s+2)", "10, 11"],
  product: ["α_t(s) β^{ex}_t(s) = \\frac{α_t(s) β^{in}_t(s)}{y_t(ℓ'_s)}", "14"],
};

/** The three terms of the sum: [{state, value}] or [{state, why}] where there is none. */
function termsOf({ state, response }, states, t, s) {
  const forward = state.view === "alpha", sign = forward ? -1 : 1, L = states.length;
  const rows = forward ? response.alpha : response.beta_including;
  return [0, 1, 2].map((distance) => {
    const other = s + sign * distance;
    if (other < 0 || other >= L) return { other, why: "there is no state " + other };
    const skip = distance === 2 ? skipTo(states, forward ? s : other) : { allowed: true };
    return skip.allowed ? { other, value: rows[t + sign][other] } : { other, why: skip.why };
  });
}

const number = (text, className = "number") => element("span", { class: className, title: text }, short(text, 5));

/** A number and, below it, its name. */
const named = (text, name) => element("span", { class: "term" }, number(text), element("small", {}, formula(name)));

/** The summands, each a number or a mark that it is missing. */
function summands(terms, symbol, t, logarithms) {
  return terms.flatMap((term, i) => {
    const name = `${symbol}_{${t}}(${term.other})`;
    const shown = term.why
      ? element("span", { class: "term", title: term.why }, element("span", { class: "missing" }, "none"),
        element("small", {}, formula(name)))
      : named(term.value, name);
    const power = logarithms && !term.why ? ["exp ", shown] : [shown];
    return i === 0 ? power : [" + ", ...power];
  });
}

const note = (text) => element("p", { class: "note" }, text);

function line(...parts) {
  return element("p", { class: "numbers" }, ...parts);
}

/** The equation of alpha or beta at a cell that paths pass. */
function recursionLine(model, names, states, t, s) {
  const { state, response, logarithms } = model;
  const forward = state.view === "alpha", atEdge = forward ? t === 0 : t === state.T - 1;
  const including = state.view !== "beta_excluding";
  const y = named(response.y[t][states[s]], `y_{${t}}(${visible(names[states[s]])})`), parts = [], notes = [];
  if (atEdge) {
    parts.push(logarithms ? "0" : "1");
    notes.push(forward ? "A path begins in state 0 or 1, with nothing before it." :
      "A path ends in one of the last two states, with nothing after it.");
  } else {
    const terms = termsOf(model, states, t, s);
    const [symbol, other] = forward ? ["α", t - 1] : ["β^{in}", t + 1];
    parts.push(logarithms ? "ln(" : "(", ...summands(terms, symbol, other, logarithms), ")");
    for (const term of terms) if (term.why) notes.push("State " + term.other + ": " + term.why + ".");
  }
  if (including) parts.push(logarithms ? " + " : " × ", y);
  if (state.space === "scaled" && forward) parts.push(" ÷ ", named(response.scale[t], `c_{${t}}`));
  if (state.space === "scaled" && !forward) parts.push(" ÷ ", formula(`d_{${t}}`));
  return [line(...parts, " = ", number(response[state.view][t][s], "number result")),
    ...notes.map(note)];
}

function productLine({ response, state, logarithms }, names, states, t, s) {
  const at = `_{${t}}(${s})`, y = named(response.y[t][states[s]], `y_{${t}}(${visible(names[states[s]])})`);
  const parts = response.beta_excluding === null
    ? [named(response.alpha[t][s], "α" + at), " × ", named(response.beta_including[t][s], "β^{in}" + at), " ÷ ", y]
    : [named(response.alpha[t][s], "α" + at), logarithms ? " + " : " × ",
      named(response.beta_excluding[t][s], "β^{ex}" + at)];
  return [line(...parts, " = ", number(response.product[t][s], "number result")),
    note(state.space === "scaled"
      ? "With scaled alpha and beta, the product is this state's share of the invariant under the lattice."
      : "The sum of all alignments that pass this state at this frame. The states of a frame add up to p.")];
}

/** What the chosen cell's panel holds. */
export function recursion(model, names, states) {
  const { state, response, logarithms } = model;
  if (!state.cell) return [note("Choose a cell of the lattice: its equation appears here, with the numbers put in.")];
  const [t, s] = state.cell, L = states.length;
  const [text, equation] = equations[state.view];
  const title = element("h3", {}, `Frame ${t}, state ${s}: `, element("b", {}, spoken(names[states[s]])));
  const head = [title, formula(text, { display: true, equation })];
  if (!isLive(t, s, state.T, L)) {
    const why = s > 2 * t + 1 ? "no path from the start gets here so soon" : "no path from here reaches the end in time";
    return [...head, line(number(response[state.view][t][s], "number result")), note(`No alignment passes: ${why}.`)];
  }
  const written = state.view === "product" ? productLine : recursionLine;
  const lines = written(model, names, states, t, s);
  if (logarithms) lines.push(note("All numbers here are natural logarithms."));
  return [...head, ...lines];
}

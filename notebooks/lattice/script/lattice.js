// The lattice: a row for each state of l' [L], a column for each frame, and the steps that a path may take.

import { frameTable, logarithmicLevels, showNumber, wordsOf } from "./cells.js";
import { element, setAttributes } from "./elements.js";
import { skipTo, spoken, statesOf, visible } from "./words.js";
import { roving } from "./roving.js";

/** Whether some path is in state s at frame t. */
export const isLive = (t, s, T, L) => s >= L - 2 * (T - t) && s <= 2 * t + 1;

/** The steps [{t, from, to}] that alignments take, from frame t to t + 1. */
function stepsOf(states, T) {
  const steps = [], L = states.length;
  for (let t = 0; t + 1 < T; ++t)
    for (let to = 0; to < L; ++to)
      for (let from = Math.max(0, to - 2); from <= to; ++from)
        if (isLive(t, from, T, L) && isLive(t + 1, to, T, L) && (from > to - 2 || skipTo(states, to).allowed))
          steps.push({ t, from, to });
  return steps;
}

function drawnStep({ t, from, to }, className) {
  return element("line", { x1: t + 0.5, y1: from + 0.5, x2: t + 1.5, y2: to + 0.5, class: className });
}

/** The skip that the chosen cell may not take or give, drawn where both its states exist. */
function forbiddenSkip(state, states) {
  if (!state.cell) return [];
  const [t, s] = state.cell, backward = state.view !== "alpha";
  const step = backward ? { t, from: s, to: s + 2 } : { t: t - 1, from: s - 2, to: s };
  const exists = step.t >= 0 && step.t + 1 < state.T && step.from >= 0 && step.to < states.length;
  return exists && step.to % 2 === 1 && !skipTo(states, step.to).allowed ? [drawnStep(step, "forbidden")] : [];
}

/** The steps that the chosen cell's sum takes in: into it for alpha, out of it for beta, both for their product. */
function isSummed({ t, from, to }, { cell, view }) {
  if (!cell) return false;
  const into = t + 1 === cell[0] && to === cell[1], outOf = t === cell[0] && from === cell[1];
  return view === "alpha" ? into : view === "product" ? into || outOf : outOf;
}

const symbols = {
  alpha: "alpha", beta_including: "beta with y", beta_excluding: "beta without y", product: "alpha times beta",
};

/** The lattice's table for this word and T; `choose(t, s)` hears which cell was chosen. */
export function latticeTable(state, names, states, choose) {
  const L = states.length, T = state.T;
  const heads = states.map((k, s) => [element("span", { class: "state" }, String(s)), visible(names[k])]);
  const { table, cells } = frameTable({
    label: "The lattice: a row for each state, a column for each frame", rows: heads, T, role: "grid",
    cell: () => element("div", { class: "cell", role: "button" }),
  });
  const buttons = cells.map((line) => line.map((cell) => cell.firstChild));
  roving(buttons, { focused: (s, t) => choose(t, s) });
  for (const [s, line] of buttons.entries()) for (const [t, button] of line.entries())
    button.addEventListener("click", () => { button.focus(); choose(t, s); });
  const edges = element("svg", {
    class: "edges", viewBox: `0 0 ${T} ${L}`, preserveAspectRatio: "none", "aria-hidden": "true",
  });
  const frame = element("div", { class: "lattice", style: `--states: ${L}; --frames: ${T}` }, edges, table);
  const steps = stepsOf(states, T);

  const update = ({ state: now, response, exact, logarithms, digits }) => {
    const path = now.path ? statesOf(now.path, states) : null;
    const onPath = ({ t, from, to }) => path !== null && path[t] === from && path[t + 1] === to;
    const order = (step) => (onPath(step) ? 2 : 0) + (isSummed(step, now) ? 1 : 0);
    const drawn = [...steps].sort((a, b) => order(a) - order(b)).map((step) =>
      drawnStep(step, [onPath(step) && "on-path", isSummed(step, now) && "summed"].filter(Boolean).join(" ")));
    edges.replaceChildren(...drawn, ...forbiddenSkip(now, states));
    const rows = response[now.view], exactRows = exact[now.view];
    const level = logarithmicLevels(rows, logarithms);
    for (const [s, line] of buttons.entries()) {
      for (const [t, button] of line.entries()) {
        const text = rows[t][s], name = (logarithms ? "ln " : "") + symbols[now.view];
        const place = `frame ${t}, state ${s} (${spoken(names[states[s]])})`;
        showNumber(button, {
          text, exactText: exactRows[t][s], level: level(text), name: `${name}, ${place}`,
          logarithm: logarithms, digits,
        });
        setAttributes(button, {
          "aria-label": wordsOf(`${place}, ${name}`, text, exactRows[t][s], logarithms),
          "data-live": isLive(t, s, T, L) ? "" : null,
          "data-path": path?.[t] === s ? "" : null,
          "aria-pressed": now.cell?.[0] === t && now.cell?.[1] === s ? "true" : "false",
        });
      }
    }
  };
  return { frame, update };
}

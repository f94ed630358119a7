// How an alignment becomes its word, frame by frame: first what repeats is merged, then blanks are dropped.

import { frameTable } from "./cells.js";
import { byId, element, setAttributes, setText } from "./elements.js";
import { spoken, visible } from "./words.js";

/** What each frame of an alignment of classes [T] gives after each pass: the class, or null where it goes. */
export function passes(alignment) {
  const merged = alignment.map((k, t) => t > 0 && k === alignment[t - 1] ? null : k);
  return [alignment, merged, merged.map((k) => k === 0 ? null : k)];
}

/** What happens at step 1..2T, in a sentence. */
function sentence(alignment, step, names) {
  const T = alignment.length, t = (step - 1) % T, k = alignment[t], name = spoken(names[k]);
  const [, merged, kept] = passes(alignment);
  if (step <= T) return merged[t] === null ? `Frame ${t}: ${name} again, as in frame ${t - 1}. It is merged.` : `Frame ${t}: ${name} begins.`;
  if (merged[t] === null) return `Frame ${t}: merged already.`;
  return kept[t] === null ? `Frame ${t}: a blank. It is dropped.` : `Frame ${t}: ${name} stays.`;
}

/** The word as far as step 2T has come. */
const spelt = (kept, upTo, names) => kept.slice(0, upTo).filter((k) => k !== null).map((k) => visible(names[k])).join("");

let collapsing = { key: null, step: 0 };

/** Shows the alignment after `step` steps: T of merging, then T of dropping. */
function showStep(alignment, names, cells, step) {
  collapsing.step = step;
  const T = alignment.length, rows = passes(alignment);
  for (const [row, line] of cells.entries())
    for (const [t, cell] of line.entries()) {
      const isDone = step > t + (row - 1) * T, k = rows[row][t], before = rows[Math.max(0, row - 1)][t];
      setText(cell, !isDone ? "" : k === null ? (before === null ? "" : "×") : visible(names[k]));
      setAttributes(cell, {
        "data-gone": isDone && k === null ? "" : null, "data-now": row > 0 && step === t + (row - 1) * T + 1 ? "" : null,
      });
    }
  byId("collapse-step").value = step;
  byId("collapse-back").disabled = step === 0;
  byId("collapse-on").disabled = step === 2 * T;
  const word = spelt(rows[2], step - T, names);
  setText(byId("collapse-said"), step === 0 ? "→ merges and drops, one frame at a time."
    : sentence(alignment, step, names) + (step > T ? ` So far: ${word === "" ? "no letter" : word}.` : ""));
}

/** Shows the alignment of classes [T], or that there is none. The steps begin anew where it is another. */
export function showCollapse(alignment, names) {
  const key = alignment === null ? null : alignment.join() + names.join();
  if (key === collapsing.key) return;
  collapsing = { key, step: 0 };
  byId("collapse").hidden = alignment === null;
  if (alignment === null) return;
  const { table, cells } = frameTable({
    label: "The alignment, without repeats, and without blanks", rows: ["π", "merge", "drop"], T: alignment.length,
  });
  byId("collapse-table").replaceChildren(element("div", {}, table));
  byId("collapse-step").max = 2 * alignment.length;
  const go = (step) => showStep(alignment, names, cells, Math.min(2 * alignment.length, Math.max(0, step)));
  byId("collapse-step").oninput = ({ target }) => go(Number(target.value));
  byId("collapse-back").onclick = () => go(collapsing.step - 1);
  byId("collapse-on").onclick = () => go(collapsing.step + 1);
  go(0);
}

// The logits a [T, C] as bars to drag, and the outputs y that the softmax makes of them. Each bar is a slider.

import { frameTable, markOf, wordsOf } from "./cells.js";
import { element, setAttributes, setText } from "./elements.js";
import { short, toNumber } from "./numbers.js";
import { LIMIT, snapped, STEP } from "./patterns.js";
import { roving } from "./roving.js";
import { spoken, visible } from "./words.js";

const BIG_STEP = 2;
const keySteps = { ArrowUp: STEP, ArrowDown: -STEP, PageUp: BIG_STEP, PageDown: -BIG_STEP };

/** Follows a pointer from where it pressed: the height of a bar is 8 units. */
function draggable(bar, valueOf, moved) {
  bar.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    bar.focus();
    bar.setPointerCapture(event.pointerId);
    const from = event.clientY, value = valueOf(), unit = bar.firstChild.clientHeight / LIMIT;
    const follow = (move) => moved(snapped(value + (from - move.clientY) / unit));
    bar.addEventListener("pointermove", follow);
    const release = () => bar.removeEventListener("pointermove", follow);
    bar.addEventListener("lostpointercapture", release, { once: true });
  });
}

/**
 * The table of bars for these classes, a row each. `logitOf(t, k)` is a logit as it is now, which the page may not have
 * drawn yet; `setLogit(t, k, value)` changes it.
 */
export function logitTable(state, names, shownClasses, { logitOf, setLogit }) {
  const bars = [];
  const make = (row, t) => {
    const bar = element("div", { class: "bar", role: "slider", "aria-valuemin": -LIMIT, "aria-valuemax": LIMIT },
      element("span", { class: "track" }, element("span", { class: "fill" })), element("span", { class: "output" }));
    (bars[row] ??= [])[t] = bar;
    return bar;
  };
  const { table } = frameTable({
    label: "Logits and outputs, a row for each class", rows: shownClasses.map((k) => visible(names[k])),
    T: state.T, cell: make,
  });
  for (const [row, line] of bars.entries())
    for (const [t, bar] of line.entries())
      draggable(bar, () => logitOf(t, shownClasses[row]), (value) => setLogit(t, shownClasses[row], value));
  const keys = (event, row, t) => {
    if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return false;
    const k = shownClasses[row];
    const ends = { Home: -LIMIT, End: LIMIT };
    const value = event.key in keySteps ? snapped(logitOf(t, k) + keySteps[event.key]) : ends[event.key];
    if (value === undefined) return false;
    setLogit(t, k, value);
    return true;
  };
  roving(bars, { keys });

  const update = ({ state: now, response, exact, logarithms, digits }) => {
    for (const [row, line] of bars.entries()) {
      const k = shownClasses[row];
      for (const [t, bar] of line.entries()) {
        const logit = now.logits[t][k], height = Math.min(1, Math.abs(logit) / LIMIT) * 50;
        const y = response.y[t][k];
        const fraction = logarithms ? Math.exp(toNumber(y)) : toNumber(y);
        setText(bar.lastChild, short(y, digits));
        setAttributes(bar.lastChild, { "data-mark": markOf(y, exact.y[t][k], logarithms) });
        const fill = bar.firstChild.firstChild;
        fill.style.cssText = `${logit >= 0 ? "bottom" : "top"}: 50%; height: ${height}%`;
        bar.style.setProperty("--level", Math.min(1, Math.max(0, fraction || 0)).toFixed(3));
        setAttributes(bar, {
          "aria-label": `logit of ${spoken(names[k])}, frame ${t}`, "aria-valuenow": logit, "data-value": y,
          "aria-valuetext": `${logit}, ${wordsOf(logarithms ? "ln y" : "y", y, exact.y[t][k], logarithms)}`,
          title: `logit ${logit}, ${logarithms ? "ln y" : "y"} = ${y}`,
        });
      }
    }
  };
  return { table, update };
}

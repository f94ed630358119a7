// The alignments of the word, all of them while they are few, each with its probability.

import { element, setAttributes, setText } from "./elements.js";
import { MOST_LISTED } from "./model.js";
import { short, toNumber } from "./numbers.js";
import { visible } from "./words.js";

const grouped = (count) => count.replace(/\B(?=(\d{3})+$)/g, " ");

/** What stands above the list. */
function headline(answer, listed) {
  const count = answer.count;
  if (count === "0") return "No alignment: with its repeats the word needs more frames.";
  if (count === "1") return "One alignment.";
  const how = listed ? ", the most probable first."
    : ", counted by the closed form: there are too many sequences to try them all.";
  return grouped(count) + " alignments" + how;
}

/** [alignment, probability] of what is listed, the most probable first: of too many to list, that one alone. */
function entries(answer, listed) {
  if (!listed) return answer.best ? [[answer.best, answer.best_probability]] : [];
  const pairs = answer.alignments.map((alignment, i) => [alignment, answer.probability[i]]);
  return pairs.sort(([, a], [, b]) => toNumber(b) - toNumber(a));
}

/** A button for each entry. */
function buttons(entries, best, names, choose) {
  const most = toNumber(entries[0]?.[1] ?? "0");
  return entries.map(([alignment, text]) => {
    const key = alignment.join(), isBest = key === best?.join();
    const spelt = alignment.map((k) => visible(names[k])).join("");
    return element("button", {
      type: "button", class: "alignment", "data-alignment": key, style: `--level: ${most > 0 ? toNumber(text) / most : 0}`,
      "aria-label": `${spelt}, probability ${short(text)}${isBest ? ", the most probable" : ""}`,
      click: ({ currentTarget }) => choose(currentTarget.ariaPressed === "true" ? null : alignment),
    }, element("span", { class: "spelt" }, spelt), isBest ? element("span", { class: "best" }, "best") : "",
    element("span", { class: "number", "data-value": text }, short(text)));
  });
}

let shown = {};

/** Shows them in `place`; `choose(alignment or null)` hears which one is to be drawn as a path. */
export function showAlignments(place, answer, state, names, choose) {
  const list = place.querySelector("ul");
  if (answer !== shown.answer || state.word !== shown.word) {
    shown = { answer, word: state.word };
    const listed = answer.alignments !== null && answer.alignments.length <= MOST_LISTED && answer.probability !== null;
    setText(place.querySelector(".headline"), headline(answer, listed));
    const total = place.querySelector(".total"), p = listed ? answer.p : null;
    setText(total, p === null ? "" : "They add up to p = " + short(p, 6));
    setAttributes(total, { "data-value": p, title: p });
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.alignment : null;
    const made = buttons(entries(answer, listed), answer.best, names, choose);
    list.replaceChildren(...made.map((button) => element("li", {}, button)));
    if (focused) list.querySelector(`[data-alignment="${focused}"]`)?.focus();
  }
  for (const button of list.querySelectorAll("button"))
    setAttributes(button, { "aria-pressed": String(button.dataset.alignment === state.path?.join()) });
}

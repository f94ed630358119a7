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
  return grouped(count) + " alignments" + (listed ? ", the most probable first." : ", counted by the closed form: there are too many sequences to try them all.");
}

/** Shows them in `place`; `choose(alignment or null)` hears which one is to be drawn as a path. */
export function showAlignments(place, answer, state, names, choose) {
  const listed = answer.alignments !== null && answer.alignments.length <= MOST_LISTED && answer.probability !== null;
  const chosen = state.path?.join();
  setText(place.querySelector(".headline"), headline(answer, listed));
  const total = place.querySelector(".total");
  setText(total, listed && answer.p !== null ? "They add up to p = " + short(answer.p, 6) : "");
  setAttributes(total, { "data-value": listed ? answer.p : null, title: listed ? answer.p : null });
  const list = place.querySelector("ul");
  if (!listed) return list.replaceChildren();
  const best = answer.best?.join();
  const most = Math.max(...answer.probability.map(toNumber));
  const order = answer.alignments.map((_, i) => i).sort((i, j) => toNumber(answer.probability[j]) - toNumber(answer.probability[i]));
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.alignment : null;
  list.replaceChildren(...order.map((i) => {
    const alignment = answer.alignments[i], key = alignment.join(), probability = answer.probability[i];
    const spelt = alignment.map((k) => visible(names[k])).join("");
    const toggle = () => choose(state.path?.join() === key ? null : alignment);
    return element("li", {}, element("button", {
      type: "button", class: "alignment", "data-alignment": key, "aria-pressed": String(chosen === key), click: toggle,
      "aria-label": `${spelt}, probability ${short(probability)}${key === best ? ", the most probable" : ""}`,
      style: `--level: ${most > 0 ? toNumber(probability) / most : 0}`,
    }, element("span", { class: "spelt" }, spelt), key === best ? element("span", { class: "best" }, "best") : "",
    element("span", { class: "number", "data-value": probability }, short(probability))));
  }));
  if (focused) list.querySelector(`[data-alignment="${focused}"]`)?.focus();
}

// The tables under the lattice: the invariants, the posterior and the gradients, frame under frame.

import { frameTable, linearLevels, showNumber } from "./cells.js";
import { element, setText } from "./elements.js";
import { formula, prose } from "./formula.js";
import { short, sum } from "./numbers.js";
import { spoken, visible } from "./words.js";

/** A band's rows of one kind, a class each, with the sum over the classes below them. */
function classBand(field, { sumIs, floor }) {
  return (state, names, shownClasses) => {
    const rows = [...shownClasses.map((k) => visible(names[k])), "sum"];
    const { table, cells } = frameTable({ label: bands[field].title, rows, T: state.T });
    table.classList.add("classes");
    const update = ({ response, exact, digits }) => {
      const level = linearLevels(response[field], floor);
      for (const [row, k] of shownClasses.entries())
        for (const [t, cell] of cells[row].entries())
          showNumber(cell, {
            text: response[field][t][k], exactText: exact[field][t][k], level: level(response[field][t][k]),
            name: `frame ${t}, ${spoken(names[k])}`, digits,
          });
      for (const [t, cell] of cells.at(-1).entries()) {
        setText(cell, short(sum(response[field][t]), digits));
        cell.title = sumIs;
      }
    };
    return { table, update };
  };
}

/** The sums over the states, which are p at every frame; and c_t where alpha is scaled. */
function invariantBand(state) {
  const scaled = state.space === "scaled";
  const fields = scaled ? ["invariant_including", "scale"] : ["invariant_including", "invariant_excluding"];
  const heads = {
    invariant_including: [formula(scaled ? "α̂β̂/y" : "αβ^{in}/y")], invariant_excluding: [formula("αβ^{ex}")],
    scale: [formula("c_t")],
  };
  const rows = fields.map((field) => heads[field]);
  const { table, cells } = frameTable({ label: "Sums over the states", rows, T: state.T });
  const update = ({ response, exact, logarithms, digits }) => {
    for (const [row, field] of fields.entries())
      for (const [t, cell] of cells[row].entries())
        showNumber(cell, {
          text: response[field][t], exactText: exact[field][t], name: `frame ${t}`, logarithm: logarithms, digits,
        });
  };
  return { table, update };
}

/** Every band: its title, what it says, and how it is made from (state, names, shownClasses). */
export const bands = {
  invariant: {
    title: "The invariants", make: invariantBand,
    text: "$\\sum_s α_t(s) β^{in}_t(s) / y_t(ℓ'_s)$ (14) and $\\sum_s α_t(s) β^{ex}_t(s)$: both are $p(ℓ|x)$ at every frame.",
    scaledText: "With scaled numbers, the posterior of frame t is divided by $\\sum_s α̂_t(s) β̂_t(s) / y_t(ℓ'_s)$, " +
      "which is not $p(ℓ|x)$: $p(ℓ|x)$ is the product of all $c_t$.",
  },
  posterior: {
    title: "The posterior", make: classBand("posterior", { sumIs: "the sum over all classes: 1", floor: 1 }),
    text: "$γ_t(k)$: the probability that the alignment has class k at frame t, given that it spells the word.",
  },
  output_error: {
    title: "Two steps, the first", make: classBand("output_error", { sumIs: "the sum over all classes" }),
    text: "$∂loss/∂y_t(k)$ (13, 15): the outputs taken as free variables.",
  },
  gradient_two_step: {
    title: "Two steps, the second",
    make: classBand("gradient_two_step", { sumIs: "the sum over all classes: 0", floor: 1 }),
    text: "$∂loss/∂a_t(k)$, the first step carried back through the softmax.",
  },
  gradient: {
    title: "The direct road", make: classBand("gradient", { sumIs: "the sum over all classes: 0", floor: 1 }),
    text: "$∂loss/∂a_t(k) = y_t(k) - γ_t(k)$ (16).",
  },
};

/** The element of a band, which can be folded. */
export function bandElement(name, { open, table, scaled }) {
  const { title, text, scaledText } = bands[name];
  return element("details", { class: "band", "data-band": name, open },
    element("summary", {}, title), element("p", { class: "note" }, ...prose(scaled && scaledText || text)), table);
}

// The walk through the derivation: what each of its six steps says, shows, and proposes to try. Equation numbers are
// those of Graves et al. 2006, whose frames and states count from 1; this page's count from 0, as everywhere in Assay.

import { byId, element } from "./elements.js";
import { formula, prose } from "./formula.js";

const equation = (text, number) => ({ text, number });

/** In half, the output of a at frame 1 is 0.00012, and its square 0. */
const faint = {
  word: "cat", T: 3, classes: "word", scale: 1, pattern: "", logits: [[0, 0, 6, 0], [4.5, -4.5, 0, 0], [0, 0, 0, 6]],
};

/** A word that the speech does not say: improbable, and so a test for number types. */
const misheard = { pattern: "speech", word: "hallo", scale: 1 };

export const walk = [
  {
    name: "Alignments", section: "the-definition-enumeration-h", notebook: "01-counting-alignments", view: "alpha", bands: [],
    says: [
      "For each of T frames, a network gives the probability $y_t(k)$ of each class $k$. One class is the blank, –. An alignment $π$ takes one class per frame:",
      equation("p(π|x) = \\prod_t y_t(π_t)", "2"),
      "$B$ turns an alignment into a word: merge repeats, then drop the blanks. So a word $ℓ$ has many alignments, and its probability is the sum of theirs:",
      equation("p(ℓ|x) = \\sum_{π∈B^{-1}(ℓ)} p(π|x)", "3"),
      "The alignments are listed under “Alignments”: choose one to see it as a path. Equal letters need a blank between them, or they would merge.",
    ],
    tries: [["a word with a repeat: aab", { word: "aab", T: 5, pattern: "peaky" }], ["no word at all", { word: "", T: 4, classes: "all", pattern: "uniform" }], ["too few frames", { word: "aab", T: 3, pattern: "uniform" }]],
  },
  {
    name: "Alpha", section: "alpha-alpha-h", notebook: "02-alpha", view: "alpha", bands: [],
    says: [
      "The list grows exponentially, the lattice does not. Blanks around and between the labels give $ℓ'$, with $L = 2S + 1$ states. A path stays, goes on, or steps over a blank between two different labels. $α_t(s)$ adds up all path beginnings that are in state $s$ at frame $t$:",
      equation("α_t(s) = (ᾱ_t(s) + α_{t-1}(s-2)) y_t(ℓ'_s)", "6"),
      equation("ᾱ_t(s) = α_{t-1}(s) + α_{t-1}(s-1)", "7"),
      "The term of $s - 2$ is there only where that step is allowed. The word ends in its last label or the blank after it:",
      equation("p(ℓ|x) = α_{T-1}(L-1) + α_{T-1}(L-2)", "8"),
      "Choose a cell to see its own sum.",
    ],
    tries: [["a cell that may skip", { word: "cat", T: 5, pattern: "peaky", view: "alpha", cell: [2, 3] }], ["one that may not", { word: "aab", T: 6, pattern: "peaky", view: "alpha", cell: [3, 3] }]],
  },
  {
    name: "Beta, twice", section: "beta-twice-beta-h", notebook: "03-beta-twice", view: "beta_including", bands: ["invariant"],
    says: [
      "$β^{in}_t(s)$ is the same sum from the end, over all ways to finish from state $s$. The paper of 2006 includes the output of frame $t$ itself, which is $β^{in}$ here; Graves' thesis of 2008 excludes it, which is $β^{ex}$.",
      equation("β^{in}_t(s) = (β̄_t(s) + β^{in}_{t+1}(s+2)) y_t(ℓ'_s)", "10"),
      equation("β̄_t(s) = β^{in}_{t+1}(s) + β^{in}_{t+1}(s+1)", "11"),
      equation("β^{ex}_t(s) = β^{in}_t(s) / y_t(ℓ'_s)", ""),
      "An alignment is in one state at each frame. So at every $t$ the sum over the states is $p$. Each beta has its own identity:",
      equation("\\sum_s \\frac{α_t(s) β^{in}_t(s)}{y_t(ℓ'_s)} = p(ℓ|x)", "14"),
      equation("\\sum_s α_t(s) β^{ex}_t(s) = p(ℓ|x)", ""),
    ],
    tries: [["beta with y", { view: "beta_including" }], ["beta without y", { view: "beta_excluding", space: "probability" }], ["their product", { view: "product" }]],
  },
  {
    name: "Posterior", section: "the-posterior-posterior-h", notebook: "04-gradient-three-roads", view: "product", bands: ["posterior"],
    says: [
      "The posterior is the share of $p$ that passes a state of class $k$ at frame $t$: the probability that the alignment has class $k$ there, given that it spells the word.",
      equation("γ_t(k) = \\frac{1}{p(ℓ|x)} \\sum_{s∈lab(k)} α_t(s) β^{ex}_t(s)", ""),
      "$lab(k)$ are the states of class $k$: all the blanks, or both l of hello. At each frame the posterior adds up to 1.",
    ],
    tries: [["hello as it was spoken", { pattern: "speech" }], ["equal letters", { word: "lol", T: 6, pattern: "uniform" }]],
  },
  {
    name: "Two roads", section: "to-the-logits-in-two-steps-gradient-two-step-h", notebook: "04-gradient-three-roads", view: "product", bands: ["output_error", "gradient_two_step", "gradient"],
    says: [
      "The loss is $-ln p(ℓ|x)$. Eesen first differentiates by the outputs, taken as free variables,",
      equation("E_t(k) = \\frac{∂loss}{∂y_t(k)}", "13"),
      equation("= -\\frac{1}{p y_t(k)^2} \\sum_{s∈lab(k)} α_t(s) β^{in}_t(s)", "15"),
      "and then goes back through the softmax to the logits $a$:",
      equation("\\frac{∂loss}{∂a_t(k)} = y_t(k) (E_t(k) - \\sum_j E_t(j) y_t(j))", ""),
      "Now $E_t(k) y_t(k) = -γ_t(k)$ and the posterior adds up to 1, so the sum is −1 and the gradient is",
      equation("\\frac{∂loss}{∂a_t(k)} = y_t(k) - γ_t(k)", "16"),
      "In exact arithmetic the two roads are equal. In a number type, $y^2$ underflows before $y$ does.",
    ],
    tries: [["where they part", { ...faint, number: "half", space: "probability" }], ["the same with logarithms", { ...faint, number: "half", space: "log" }], ["where they agree", { ...faint, number: "double", space: "probability" }]],
  },
  {
    name: "Number types", section: "scaled-scaled-h", notebook: "05-number-ranges", view: "alpha", bands: ["gradient"],
    says: [
      "A path's probability is a product of T outputs and shrinks with each frame. The smallest half is $2^{-24}$, the smallest float $2^{-149}$: a smaller number becomes 0, hatched here, and the paths through it are lost. There are two remedies. Scaling makes every frame add up to 1:",
      equation("c_t = \\sum_s α_t(s), α̂_t(s) = \\frac{α_t(s)}{c_t}", ""),
      equation("ln p(ℓ|x) = \\sum_t ln c_t", ""),
      "Scaling still loses the states that are small beside the largest. Logarithms lose nothing to underflow, but lose digits as they grow.",
    ],
    tries: [["speech of hello, taken for hallo, in half", { ...misheard, number: "half", space: "probability" }], ["scaled", { ...misheard, number: "half", space: "scaled" }], ["logarithms", { ...misheard, number: "half", space: "log" }], ["float", { ...misheard, number: "float", space: "probability" }], ["50 digits", { ...misheard, number: "50", space: "probability" }]],
  },
];

/** Where the site says more of a step; nothing where the page stands alone, as a file. */
function readings({ section, notebook }) {
  const { site } = byId("app").dataset;
  if (site === undefined) return [];
  const link = (to, text) => element("a", { href: `${site}/${to}` }, text);
  return [element("p", { class: "note" }, "Read more: ", link("docs/derivation-ctc.html#" + section, "the derivation"), ", ",
    link(`notebooks/${notebook}.html`, "notebook " + Number(notebook.slice(0, 2))), ".")];
}

/** The content of one step; `attempt(change)` hears what is to be tried. */
export function walkStep(step, attempt) {
  const said = step.says.map((part) => typeof part === "string" ? element("p", {}, ...prose(part))
    : formula(part.text, { display: true, equation: part.number }));
  const tries = step.tries.map(([label, change]) =>
    element("button", { type: "button", class: "try", click: () => attempt(change) }, label));
  return [...said, element("p", { class: "tries" }, "Try: ", ...tries), ...readings(step)];
}

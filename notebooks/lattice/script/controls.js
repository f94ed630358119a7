// The controls above the lattice, bound to the state in both directions.

import { byId, element, setAttributes, setText } from "./elements.js";
import { random } from "./patterns.js";
import { isBeyond, namesOf, NUMBERS, SCALES, SPACES, VIEWS } from "./state.js";
import { cleaned, fewestFrames, MOST_FRAMES } from "./words.js";

const PATTERNS = ["uniform", "peaky", "speech"];
const WORDS = ["cat", "aab", "hello", ""];

/** Radio buttons of one choice, in the fieldset with the id of `field`. */
function choices(field, options, change) {
  const labels = [...options].map(([value, label]) => element("label", {},
    element("input", { type: "radio", name: field, value, change: () => change(field, value) }),
    element("span", {}, label)));
  byId(field).append(...labels);
}

const check = (field, value) => {
  const input = document.querySelector(`input[name="${field}"][value="${value}"]`);
  if (!input.checked) input.checked = true;
};

/** Makes them; `change(change)` hears of every choice. */
export function makeControls(getState, change) {
  const choose = (field, value) => change({ [field]: value });
  choices("number", NUMBERS, choose);
  choices("space", SPACES, choose);
  choices("view", VIEWS, choose);
  choices("scale", SCALES, (_, value) => change({ scale: Number(value) }));
  byId("word").addEventListener("input", ({ target }) => change({ word: cleaned(target.value) }));
  byId("frames").addEventListener("input", ({ target }) => {
    const T = Number(target.value);
    if (Number.isInteger(T) && T >= 1 && T <= MOST_FRAMES) change({ T });
    else if (isBeyond(T)) change({ beyond: T });
  });
  byId("words").append(...WORDS.map((word) => element("button", {
    type: "button", click: () => change({
      word, T: Math.max(getState().T, fewestFrames(word) + 2), classes: word === "" ? "all" : getState().classes,
    }),
  }, word || "(empty)")));
  byId("all-classes").addEventListener("change", ({ target }) => change({ classes: target.checked ? "all" : "word" }));
  for (const pattern of PATTERNS) byId(pattern).addEventListener("click", () => change({ pattern }));
  byId("random").addEventListener("click", () => {
    const state = getState();
    change({ pattern: "", logits: random(state.T, namesOf(state).length) });
  });
}

/** What is wrong with T: more frames than the page draws, or fewer than the word needs. */
function framesNote({ word, T, beyond }) {
  const fewest = fewestFrames(word);
  if (beyond !== null)
    return `${beyond} frames are not drawn: this page shows at most ${MOST_FRAMES}, now ${T}. ./assay lattice prints more.`;
  return fewest > T ? `${fewest} frames needed` : "";
}

/** Shows the state in them. */
export function showControls(state) {
  for (const field of ["number", "space", "view", "scale"]) check(field, state[field]);
  const word = byId("word"), frames = byId("frames");
  if (cleaned(word.value) !== state.word || document.activeElement !== word) word.value = state.word;
  if (![state.T, state.beyond].includes(Number(frames.value))) frames.value = state.T;
  byId("all-classes").checked = state.classes === "all";
  setText(byId("frames-note"), framesNote(state));
  const withoutY = document.querySelector('input[name="view"][value="beta_excluding"]');
  setAttributes(withoutY, { disabled: state.space === "scaled" ? "" : null });
  for (const pattern of PATTERNS)
    setAttributes(byId(pattern), { "aria-pressed": String(state.pattern === pattern) });
}

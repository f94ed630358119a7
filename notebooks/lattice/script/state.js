// What the reader chose, all of it: kept in the address after #, so that a view can be linked to.

import { carriedOver, peaky, uniform } from "./patterns.js";
import { classNames, cleaned, labelsOf, MOST_FRAMES } from "./words.js";

// Choices, in the order shown, and what they are called.
export const NUMBERS = new Map([
  ["half", "half"], ["bfloat16", "bfloat16"], ["float", "float"], ["double", "double"], ["50", "50 digits"],
]);
export const SPACES = new Map([["probability", "probability"], ["scaled", "scaled"], ["log", "logarithm"]]);
export const VIEWS = new Map([
  ["alpha", "α"], ["beta_including", "βⁱⁿ, with y"], ["beta_excluding", "βᵉˣ, without y"], ["product", "α · βᵉˣ"],
]);
export const SCALES = new Map([["1", "× 1"], ["10", "× 10"], ["50", "× 50"]]);
const CLASS_SETS = new Map([["word", ""], ["all", ""]]);
export const WALK_STEPS = 6;

const start = () => ({
  word: "cat", T: 5, classes: "word", pattern: "peaky", logits: [], scale: 1,
  number: "double", space: "probability", view: "alpha", step: 1, cell: null, path: null,
  beyond: null,  // how many frames were asked for that are not drawn, until the next change
});

/** The logits [13][28] that the build put into the page, see build.py. */
export const speech = () => JSON.parse(document.getElementById("speech-logits").textContent);

export const namesOf = (state) => classNames(state.word, state.classes);

/** The logits of the pattern's name, or those there are, in the shape that the word and T ask for. */
function shaped(state, formerNames) {
  const C = namesOf(state).length;
  if (state.pattern === "uniform") return uniform(state.T, C);
  if (state.pattern === "peaky") return peaky(state.T, C, labelsOf(state.word, namesOf(state)));
  return carriedOver(state.logits, formerNames, state.T, namesOf(state));
}

/** The state with some of it changed, and the rest made to fit. */
export function changed(state, change) {
  const next = { ...state, beyond: null, ...change };
  const sameShape = next.word === state.word && next.T === state.T && next.classes === state.classes;
  if (change.pattern === "speech" && change.logits === undefined)
    return { ...next, word: change.word ?? "hello", T: 13, classes: "all", logits: speech(), cell: null, path: null };
  if (!sameShape) {
    next.path = null;
    const L = 2 * next.word.length + 1;
    if (next.cell && (next.cell[0] >= next.T || next.cell[1] >= L)) next.cell = null;
    if (next.pattern === "speech" && (next.T !== state.T || next.classes !== "all")) next.pattern = "";
  }
  if (change.logits === undefined && (!sameShape || change.pattern)) next.logits = shaped(next, namesOf(state));
  return next;
}

export const initialState = () => changed(start(), { pattern: "peaky" });

/** The request that the reference answers; without a number type given, that of the state. */
export function requestOf(state, number = state.number) {
  return {
    labels: labelsOf(state.word, namesOf(state)),
    blank: 0,
    logits: state.logits.map((row) => row.map((logit) => logit * state.scale)),
    number: number === "50" ? { digits: 50 } : number,
    space: state.space,
  };
}

/** What follows # in the address. */
export function toFragment(state) {
  const rows = () => state.logits.map((row) => row.join(",")).join(";");
  const fields = {
    word: state.word, T: state.T, classes: state.classes, logits: state.pattern || rows(), scale: state.scale,
    number: state.number, space: state.space, view: state.view, step: state.step,
    cell: state.cell?.join(","), path: state.path?.join(","),
  };
  return Object.entries(fields).filter(([, value]) => value !== undefined)
    .map(([key, value]) => key + "=" + encodeURIComponent(value).replace(/%2C/g, ",").replace(/%3B/g, ";")).join("&");
}

const listed = (value, choices, otherwise) => choices.has(value) ? value : otherwise;
const integers = (text, count, below) => {
  const numbers = text?.split(",").map(Number) ?? [];
  const fit = numbers.every((x, i) => Number.isInteger(x) && x >= 0 && x < below[i]);
  return fit && numbers.length === count ? numbers : null;
};

/** Whether so many frames are more than the page draws. */
export const isBeyond = (T) => Number.isInteger(T) && T > MOST_FRAMES;

/** The state that a fragment describes. What it leaves out or says wrongly is as at the start. */
export function fromFragment(fragment) {
  const fields = new URLSearchParams(fragment);
  const base = start();
  const T = Number(fields.get("T"));
  const next = {
    ...base,
    word: fields.has("word") ? cleaned(fields.get("word")) : base.word,
    T: fields.has("T") && Number.isInteger(T) && T >= 1 && T <= MOST_FRAMES ? T : base.T,
    classes: listed(fields.get("classes"), CLASS_SETS, base.classes),
    scale: Number(listed(fields.get("scale"), SCALES, base.scale)),
    number: listed(fields.get("number"), NUMBERS, base.number),
    space: listed(fields.get("space"), SPACES, base.space),
    view: listed(fields.get("view"), VIEWS, base.view),
    step: integers(fields.get("step"), 1, [WALK_STEPS + 1])?.[0] || 1,
  };
  if (isBeyond(T)) next.beyond = T;
  next.cell = integers(fields.get("cell"), 2, [next.T, 2 * next.word.length + 1]);
  const given = fields.get("logits") ?? "peaky";
  if (given === "speech") {
    const spoken = { ...next, pattern: "speech", classes: "all", logits: speech() };
    return spoken.T === spoken.logits.length ? spoken : changed({ ...spoken, T: 13 }, { T: next.T, beyond: next.beyond });
  }
  const C = namesOf(next).length;
  const rows = given.split(";").map((row) => row.split(",").map(Number));
  const fits = rows.length === next.T && rows.every((row) => row.length === C && row.every((x) => Math.abs(x) <= 100));
  if (fits) {
    next.pattern = "";
    next.logits = rows;
  } else {
    next.pattern = given === "uniform" ? "uniform" : "peaky";
    next.logits = shaped(next, namesOf(next));
  }
  next.path = integers(fields.get("path"), next.T, Array(next.T).fill(C));
  return next;
}

/** The line that prints the same numbers in a terminal. */
export function commandOf(state) {
  const rows = state.logits.map((row) => row.join(",")).join(";");
  const logits = state.pattern === "uniform" || state.pattern === "speech" ? state.pattern : "'" + rows + "'";
  return ["./assay lattice --word '" + state.word + "'",
    state.pattern === "uniform" ? "--frames " + state.T : "",
    state.classes === "all" && state.pattern !== "speech" ? "--classes all" : "",
    "--logits " + logits, state.scale === 1 ? "" : "--scale " + state.scale,
    "--number " + state.number, "--space " + state.space].filter(Boolean).join(" ");
}

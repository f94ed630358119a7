// Tables of which the columns are frames: all of them share their columns, so that one looks from a logit down to its
// gradient. A cell shows a number shortened; its full text is the cell's data-value.

import { element, setAttributes, setText } from "./elements.js";
import { isInfinite, kindOf, log10, short, toNumber } from "./numbers.js";
import { isLost, isNone } from "./model.js";

const DECADES = 8;  // what the colours tell apart, from the largest number down

/** A table with a heading a row and a cell a frame; `cell(row, t)` makes what is in it. */
export function frameTable({ label, rows, T, cell, role }) {
  const heads = rows.map((name) => element("th", { scope: "row" }, ...[name].flat()));
  const made = (row, t) => element("td", {}, ...[cell?.(row, t) ?? []].flat());
  const cells = rows.map((_, row) => Array.from({ length: T }, (_, t) => made(row, t)));
  const frames = Array.from({ length: T }, (_, t) => element("th", { scope: "col" }, String(t)));
  const table = element("table", { class: T > 10 ? "frames many" : "frames", "aria-label": label, role, style: "--frames: " + T },
    element("thead", {}, element("tr", {}, element("th", { class: "corner" }, "frame"), ...frames)),
    element("tbody", {}, ...heads.map((head, row) => element("tr", {}, head, ...cells[row]))));
  return { table, cells, heads };
}

/** 0..1 for the colour of a positive number, by its logarithm: the largest of the rows is 1. */
export function logarithmicLevels(rows, logarithms) {
  const height = (text) => {
    if (kindOf(text) === "nan" || isInfinite(text)) return -Infinity;
    if (logarithms) return toNumber(text) / Math.LN10;
    return kindOf(text) === "zero" || text.startsWith("-") ? -Infinity : log10(text);
  };
  const heights = rows.flat().map(height).filter(Number.isFinite);
  const top = Math.max(...heights), bottom = Math.min(top - 2, Math.max(Math.min(...heights), top - DECADES));
  return (text) => Math.min(1, Math.max(0, (height(text) - bottom) / (top - bottom))) || 0;
}

/** -1..1 for the colour of a signed number. */
export function linearLevels(rows, floor = 0) {
  const sizes = rows.flat().map((text) => Math.abs(toNumber(text))).filter(Number.isFinite);
  const most = Math.max(floor, ...sizes);
  return (text) => most > 0 && Number.isFinite(toNumber(text)) ? toNumber(text) / most : 0;
}

/** How a number is marked beyond its colour: nan, lost, none (rightly so), infinite, or not at all. */
export function markOf(text, exactText, logarithm) {
  if (kindOf(text) === "nan") return "nan";
  if (isLost(text, exactText, logarithm)) return "lost";
  if (isNone(text, logarithm)) return "none";
  return isInfinite(text) ? "infinite" : null;
}

/** What a cell is read out as: its name, the number, and what it should have been where that was lost. */
export function wordsOf(name, text, exactText, logarithm) {
  const mark = markOf(text, exactText, logarithm);
  if (mark === "lost") return `${name}: underflowed, with 50 digits ${short(exactText)}`;
  return name + ": " + (mark === "nan" ? "not a number" : short(text, 4));
}

/** How strong a colour is: text on much of it is the other of black and white, on dark paper on some of it already. */
const strengthOf = (level) => level > 0.68 ? "much" : level > 0.52 ? "some" : null;

/** Shows one number in a cell, coloured by a level in [-1, 1]. */
export function showNumber(cell, { text, exactText, level = 0, name, logarithm = false, digits = 3 }) {
  const mark = markOf(text, exactText, logarithm);
  setText(cell, short(text, digits));
  setAttributes(cell, {
    "data-value": text, "data-mark": mark, "data-sign": level < 0 ? "negative" : null,
    "data-strong": mark ? null : strengthOf(Math.abs(level)),
    title: wordsOf(name, text, exactText, logarithm) + "\n" + text,
  });
  cell.style.setProperty("--level", mark ? 0 : Math.abs(level).toFixed(3));
}

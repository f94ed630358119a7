"use strict";

// Small helpers. Everything of the report goes in as text, never as markup.

function element(name, attributes, ...children) {
  const space = ["svg", "rect", "line", "text", "title"].includes(name) && attributes && attributes.svg;
  const made = space ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) if (key !== "svg") made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const drawn = (name, attributes, ...children) => element(name, { svg: true, ...attributes }, ...children);

/** A number of the report: JSON has no word for NaN and infinities, which come as text. */
function number(value) {
  return typeof value === "number" ? value : { nan: NaN, inf: Infinity, "-inf": -Infinity }[value];
}

function shown(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "infinite" : "-infinite";
  if (value === 0) return "0";
  return Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3 ? value.toExponential(2) : String(+value.toPrecision(4));
}

function share(value) {
  if (!Number.isFinite(value)) return shown(value);
  if (value === 0) return "-";
  return value < 100 ? (100 * value).toFixed(1) + " %" : (100 * value).toExponential(0) + " %";
}

const plural = (count, word) => count + " " + word + (count === 1 ? "" : "s");

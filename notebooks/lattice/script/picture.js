// The lattice as a picture to keep: an SVG of its own, made of what the page shows, and a PNG of that.

import { byId, element, setText } from "./elements.js";

const MARGIN = 12, TITLE = 26;
const SVG = "http://www.w3.org/2000/svg";

/** Any colour of CSS as #rrggbb, which all programs that read SVG understand; "none" where it is transparent. */
function plain(colour) {
  const context = plain.context ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
  return alpha === 0 ? "none" : "#" + [red, green, blue].map((channel) => channel.toString(16).padStart(2, "0")).join("");
}

const made = (name, attributes, ...children) => {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, typeof value === "number" ? +value.toFixed(2) : value);
  node.append(...children);
  return node;
};

const words = (text, x, y, style, anchor = "middle") => made("text", {
  x, y, fill: plain(style.color), "font-size": parseFloat(style.fontSize), "text-anchor": anchor, "dominant-baseline": "central",
}, text);

/** A line of the lattice's steps, in pixels. */
function edge(line, box, { width, height }) {
  const style = getComputedStyle(line), at = (name) => line[name].baseVal.value;
  return made("line", {
    x1: box.x + at("x1") * width, y1: box.y + at("y1") * height, x2: box.x + at("x2") * width, y2: box.y + at("y2") * height,
    stroke: plain(style.stroke), "stroke-width": parseFloat(style.strokeWidth),
    ...(style.strokeDasharray === "none" ? {} : { "stroke-dasharray": style.strokeDasharray }),
  });
}

/** A cell: its box where it has one, which is dashed where the number was lost, and the number. */
function cell(node, box) {
  const style = getComputedStyle(node), hasLost = node.dataset.mark === "lost";
  const border = plain(hasLost ? style.textDecorationColor : style.borderTopColor);
  const rect = made("rect", {
    x: box.x, y: box.y, width: box.width, height: box.height, rx: 9, fill: plain(style.backgroundColor), stroke: border,
    "stroke-width": hasLost ? 2 : parseFloat(style.borderTopWidth), ...(hasLost ? { "stroke-dasharray": "4 3" } : {}),
  });
  const isBare = rect.getAttribute("fill") === "none" && border === "none";
  const number = words(node.textContent, box.x + box.width / 2, box.y + box.height / 2, style);
  return made("g", { opacity: Number(style.opacity) }, ...(isBare ? [] : [rect]), number);
}

/** The SVG of the lattice under this title. */
export function latticeSvg(title) {
  const place = byId("lattice").querySelector(".lattice"), origin = place.getBoundingClientRect();
  const boxOf = (node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return { x: x - origin.x + MARGIN, y: y - origin.y + MARGIN + TITLE, width, height };
  };
  const table = place.querySelector("table"), size = boxOf(table);
  const width = Math.ceil(size.width + 2 * MARGIN), height = Math.ceil(size.height + 2 * MARGIN + TITLE);
  const page = getComputedStyle(document.body);
  const picture = made("svg", { xmlns: SVG, viewBox: `0 0 ${width} ${height}`, width, height, "font-family": "sans-serif" },
    made("title", {}, title), made("rect", { width, height, fill: plain(page.backgroundColor) }),
    words(title, MARGIN, MARGIN + TITLE / 2, page, "start"));
  const edges = place.querySelector(".edges"), view = edges.viewBox.baseVal, area = boxOf(edges);
  const unit = { width: area.width / view.width, height: area.height / view.height };
  picture.append(...[...edges.querySelectorAll("line")].map((line) => edge(line, area, unit)));
  for (const head of table.querySelectorAll("th")) {
    const box = boxOf(head), isRow = head.scope === "row";
    const name = [...head.childNodes].map((part) => part.textContent).join("\u2002");
    picture.append(words(name, isRow ? box.x : box.x + box.width / 2, box.y + box.height / 2, getComputedStyle(head),
      isRow ? "start" : "middle"));
  }
  for (const node of table.querySelectorAll(".cell")) picture.append(cell(node, boxOf(node)));
  return { text: new XMLSerializer().serializeToString(picture), width, height };
}

/** The same as a PNG, twice as large. */
export async function latticePng(title) {
  const { text, width, height } = latticeSvg(title), image = new Image(), canvas = document.createElement("canvas");
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  await image.decode();
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

/** Hands a file to the reader. */
export function save(name, blob) {
  const address = URL.createObjectURL(blob);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  setText(byId("saved"), `Saved as ${name}.`);
}

// Heat maps.

/** Dark blue to yellow, of steadily rising lightness: it reads the same without colour. */
function colour(level) {
  const stops = [[13, 22, 66], [60, 56, 140], [128, 72, 140], [198, 98, 106], [240, 150, 66], [252, 236, 130]];
  const at = Math.min(Math.max(level, 0), 1) * (stops.length - 1);
  const from = stops[Math.floor(at)], to = stops[Math.ceil(at)];
  return from.map((channel, i) => Math.round(channel + (to[i] - channel) * (at % 1)));
}

/** How values become levels from 0 to 1: by their logarithms where they span more than three decades. */
function scale(values) {
  const sizes = values.filter((value) => Number.isFinite(value) && value > 0);
  const most = sizes.reduce((a, b) => Math.max(a, b), 0), least = sizes.reduce((a, b) => Math.min(a, b), most);
  const floor = Math.max(least, most * 1e-12);
  if (!(most > 1000 * least)) return { most, least: 0, words: "linear", level: (value) => most > 0 ? value / most : 0 };
  const level = (value) => value < floor ? 0 : .05 + .95 * Math.log(value / floor) / Math.log(most / floor);
  return { most, least: floor, words: "logarithmic", level };
}

function paint(canvas, width, height, pixel) {
  canvas.width = width;
  canvas.height = height;
  const image = new ImageData(Math.max(width, 1), Math.max(height, 1));
  for (let i = 0; i < width * height; ++i) image.data.set([...pixel(i % width, Math.floor(i / width)), 255], 4 * i);
  canvas.getContext("2d").putImageData(image, 0, 0);
}

const noNumber = [0, 200, 190];  // of NaN and infinities: not on the scale

function cellText(picture, values, i, j) {
  const place = (label, index, pooled) => label + " = " + (pooled > 1 ? index * pooled + ".." + ((index + 1) * pooled - 1) : index);
  return place(picture.row_label, i, picture.pooled_rows) + ", " + place(picture.column_label, j, picture.pooled_columns) +
    ": " + shown(values[i * picture.columns + j]);
}

/** The cell under the pointer, or that the arrow keys move to, in words. */
function makeReadable(canvas, picture, values, readout) {
  let i = 0, j = 0;
  const show = () => { readout.textContent = cellText(picture, values, i, j); };
  const clamp = (index, count) => Math.min(Math.max(index, 0), count - 1);
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    i = clamp(Math.floor((event.clientY - box.top) / box.height * picture.rows), picture.rows);
    j = clamp(Math.floor((event.clientX - box.left) / box.width * picture.columns), picture.columns);
    show();
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    i = clamp(i + step[0], picture.rows);
    j = clamp(j + step[1], picture.columns);
    show();
  });
  canvas.addEventListener("focus", show);
}

function legend(values, scaled) {
  const band = element("canvas", { "aria-hidden": "true" });
  paint(band, 64, 1, (x) => colour(x / 63));
  const odd = values.filter((value) => !Number.isFinite(value)).length;
  const line = element("div", { class: "legend" }, element("span", {}, shown(scaled.least)), band,
    element("span", {}, shown(scaled.most)), element("span", { class: "axis" }, scaled.words));
  if (odd > 0) line.append(element("span", { style: "border-left: .8rem solid rgb(" + noNumber + "); padding-left: .3rem" },
    odd + " not finite"));
  return line;
}

/** Wide enough to be seen, and no cell so flat that it vanishes. */
function magnification(picture) {
  return Math.min(40, Math.max(1, Math.floor(384 / Math.max(picture.rows, picture.columns, 1))));
}

function heatMap(picture) {
  const values = picture.values.map(number);
  const scaled = scale(values);
  const canvas = element("canvas", { role: "img", tabindex: 0, "data-rows": picture.rows, "data-columns": picture.columns,
    "aria-label": picture.title + ", " + picture.rows + " by " + picture.columns + " cells; arrow keys read them out" });
  const times = magnification(picture);
  paint(canvas, picture.columns * times, picture.rows * times, (x, y) => {
    const value = values[Math.floor(y / times) * picture.columns + Math.floor(x / times)];
    return Number.isFinite(value) ? colour(scaled.level(value)) : noNumber;
  });
  canvas.style.maxWidth = picture.columns * times + "px";
  const readout = element("div", { class: "readout", "aria-live": "polite" }, "Point at a cell, or use the arrow keys.");
  makeReadable(canvas, picture, values, readout);
  const pooled = picture.pooled_rows * picture.pooled_columns > 1
    ? element("div", { class: "columns axis" }, "each cell the largest of " + picture.pooled_rows + " by " + picture.pooled_columns)
    : null;
  const map = element("div", { class: "map" },
    element("div", { class: "rows axis" }, picture.row_label + " (0 to " + (picture.rows * picture.pooled_rows - 1) + ")"),
    canvas,
    element("div", { class: "columns axis" }, picture.column_label + " (0 to " + (picture.columns * picture.pooled_columns - 1) + ")"),
    pooled, legend(values, scaled), readout);
  return element("figure", {}, element("figcaption", {}, picture.title), map);
}

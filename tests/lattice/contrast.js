// The contrast of every text on the page with what is under it, the worst first: WCAG 2.2 asks for 4.5.
(() => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const painted = (colour, under) => {
    for (const fill of [`rgb(${under.join()})`, colour]) {
      context.fillStyle = fill;
      context.fillRect(0, 0, 1, 1);
    }
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const linear = (x) => x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ground = (node) => node === null ? [255, 255, 255]
    : painted(getComputedStyle(node).backgroundColor, ground(node.parentElement));
  const ratio = (node) => {
    const under = ground(node), text = painted(getComputedStyle(node).color, under);
    const [dark, light] = [under, text].map(luminance).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const isText = (child) => child.nodeType === Node.TEXT_NODE && child.textContent.trim();
  const counts = (node) => [...node.childNodes].some(isText) && node.checkVisibility()
    && !node.closest("script, style, noscript, .visually-hidden, :disabled") && !node.closest("label")?.querySelector(":disabled");
  return [...document.querySelectorAll("body *")].filter(counts)
    .map((node) => ({ ratio: ratio(node), text: node.textContent.slice(0, 30), of: node.className }))
    .sort((a, b) => a.ratio - b.ratio);
})()

// Makes elements of the page. What is shown goes in as text, never as markup.

const svgNames = new Set(["svg", "path", "line", "circle", "polyline"]);

/** <name attributes>children</name>. An attribute that is a function listens to the event of its name. */
export function element(name, attributes = {}, ...children) {
  const made = svgNames.has(name) ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

export const byId = (id) => document.getElementById(id);

/** Writes only what changed: an unchanged page is not laid out again. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttributes(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) node.removeAttribute(key);
    else if (node.getAttribute(key) !== String(value)) node.setAttribute(key, value);
  }
}

// The table of verdicts.

const marks = { pass: "\u2713", fail: "\u2717", error: "!", mistrusted: "?", skipped: "\u2013" };

function bar(worst) {
  const over = !(worst <= 1);
  const filled = element("div", { style: "width:" + (over ? 100 : 100 * worst) + "%" });
  return element("div", { class: over ? "track over" : "track", "aria-hidden": "true" }, filled);
}

function table(run) {
  const heads = ["property", "verdict", "cases", "worst error, of bound", "claim"];
  const body = element("tbody");
  for (const property of run.properties) body.append(row(run, property));
  const head = element("thead", {}, element("tr", {}, ...heads.map((text) =>
    element("th", { scope: "col", class: text === "cases" ? "number" : "" }, text))));
  return element("table", {}, head, body);
}

const failureId = (run, property) => "failure-" + run.operation + "-" + run.kernel + "-" + property.name;

function failureLink(run, property) {
  return element("div", {}, element("a", { href: "#" + encodeURIComponent(failureId(run, property)) }, "what failed"));
}

function row(run, property) {
  const skipped = Object.values(property.skipped).reduce((sum, count) => sum + count, 0);
  const worst = number(property.worst.share);
  return element("tr", { "data-property": property.name, "data-verdict": property.verdict },
    element("th", { scope: "row" }, property.name),
    element("td", { class: "verdict " + property.verdict }, marks[property.verdict] + " " + property.verdict),
    element("td", { class: "number", "data-label": "cases" }, String(property.cases - skipped)),
    element("td", { "data-label": "worst error, of bound" }, share(worst), bar(worst)),
    element("td", {}, property.claim, property.failure ? failureLink(run, property) : null, details(property, skipped)));
}

function details(property, skipped) {
  const content = element("details", {}, element("summary", {}, "details"));
  if (number(property.worst.share) !== 0 && property.worst.place)
    content.append(element("p", {}, "Worst error at " + property.worst.place + " (" + property.worst.case + ")."));
  if (property.elements > 0)
    content.append(element("p", {}, "Judged " + property.judged + " of " + plural(property.elements, "element") +
      ", with bounds of up to " + number(property.largest_bound).toPrecision(2) +
      (property.thin ? "; too few in " + property.thin + " of " + plural(property.measured, "case") : "") + "."));
  if (property.mistrust) content.append(element("p", {}, "Mistrusted: "), element("pre", { tabindex: 0 }, property.mistrust));
  for (const [reason, count] of Object.entries(property.skipped))
    content.append(element("p", {}, "Skipped: " + reason + " (" + plural(count, "case") + ")"));
  content.append(histogram(property), element("p", { class: "faint" }, property.seconds.toFixed(2) + " s"));
  if (property.verdict === "mistrusted") content.open = true;
  return content;
}

/** Counts of cases by the power of two of their worst error's share of the bound; NaN last. */
function histogram(property) {
  const counts = [...property.histogram.bins, property.histogram.nan];
  const names = counts.map((_, i) =>
    i === 0 ? "exact, or at most 2^-20" : i === 21 ? "above the bound" : i === 22 ? "NaN" :
      "from 2^" + (i - 21) + " to 2^" + (i - 20));
  const most = Math.max(1, ...counts);
  const label = "Cases by worst error as a share of the bound: " +
    (counts.map((count, i) => [count, names[i]]).filter(([count]) => count > 0)
      .map(([count, name]) => name + " " + count).join("; ") || "none");
  const chart = drawn("svg", { class: "chart", viewBox: "0 0 360 112", role: "img", "aria-label": label });
  counts.forEach((count, i) => {
    const height = count === 0 ? 0 : Math.max(2, 68 * count / most);
    chart.append(drawn("rect", { class: i > 20 ? "bar beyond" : "bar", x: 8 + 15 * i, y: 84 - height, width: 12, height },
      drawn("title", {}, names[i] + ": " + plural(count, "case"))));
  });
  chart.append(drawn("line", { x1: 4, x2: 356, y1: 84, y2: 84 }),
    drawn("line", { class: "bound", x1: 321.5, x2: 321.5, y1: 12, y2: 84 }));
  const texts = [[18, "exact"], [89, "2^-15"], [164, "2^-10"], [239, "2^-5"], [310, "bound"], [345, "NaN"]];
  for (const [x, text] of texts) chart.append(drawn("text", { x, y: 97, "text-anchor": "middle" }, text));
  chart.append(drawn("text", { x: 180, y: 110, "text-anchor": "middle" }, "worst error of a case, as a share of its bound"),
    drawn("text", { x: 4, y: 10 }, "at most " + plural(most, "case")));
  return chart;
}

// Failures.

function copyButton(text) {
  const button = element("button", { type: "button", "aria-live": "polite" }, "Copy");
  const fallback = () => {
    const area = element("textarea", { style: "position: fixed; opacity: 0" });
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    button.focus();
    return copied;
  };
  button.addEventListener("click", async () => {
    let copied = true;
    try { await navigator.clipboard.writeText(text); } catch { copied = fallback(); }
    button.textContent = copied ? "Copied" : "Select it";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return button;
}

/** The source as a heat map of the error: what each line lost in the margin, notes below their lines. */
function heatedSource(source) {
  const known = new Map(source.marks.map((mark) => [mark.line, mark]));
  const cells = (...texts) => texts.map((text, i) => element("td", { class: i < 3 ? "number" : "" }, text));
  const body = element("tbody");
  source.lines.forEach((text, i) => {
    const mark = known.get(i + 1), isHot = mark && (mark.share > 0 || mark.bits > 0);
    body.append(isHot
      ? element("tr", { class: "hot", style: "--heat:" + mark.share.toFixed(3) },
        ...cells(mark.bits.toFixed(1), (100 * mark.share).toFixed(0) + " %", String(i + 1), text))
      : element("tr", {}, ...cells("", "", String(i + 1), text)));
    if (mark?.note) body.append(element("tr", { class: "note" }, ...cells("", "", marks.fail, mark.note)));
  });
  const heads = ["bits", "share", "line", source.file].map((text, i) =>
    element("th", { scope: "col", class: i < 3 ? "number" : "" }, text));
  return element("div", { class: "source", tabindex: 0, role: "group", "aria-label": "what each line of " + source.file + " lost" },
    element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body));
}

function failure(run, property) {
  const found = property.failure;
  const pictures = element("div", { class: "pictures" }, ...found.pictures
    .filter((picture) => picture.values.length > 0).map(heatMap));
  return element("section", { class: "failure", "data-failure": property.name, id: failureId(run, property) },
    element("h3", {}, element("span", { class: property.verdict }, marks[property.verdict] + " " + property.verdict), " ",
      property.name, ": ", property.claim),
    element("p", { class: "faint" }, found.origin),
    element("pre", { tabindex: 0, "aria-label": "explanation" }, (found.errors ?? "") + found.explanation),
    found.why?.text ? element("pre", { tabindex: 0, "aria-label": "why" }, found.why.text) : null,
    ...(found.why?.sources ?? []).map(heatedSource),
    element("p", {}, "Reproduce with"),
    element("div", { class: "reproducer" }, element("pre", { tabindex: 0, "aria-label": "command" }, found.reproducer),
      copyButton(found.reproducer)),
    found.usual_cause ? element("p", {}, "Usual cause: " + found.usual_cause) : null,
    pictures);
}

// A run, and the page.

function coverage(run) {
  const classes = Object.entries(run.coverage.classes);
  const never = classes.filter(([, count]) => count === 0).map(([name]) => name);
  if (run.coverage.cases === 0) return null;
  return element("details", { class: "coverage" },
    element("summary", {}, "Coverage: " + plural(run.coverage.cases, "generated case") + ", " +
      (never.length ? never.length + " kinds never met: " + never.join(", ") : "every kind of case was met")),
    element("ul", { class: "coverage" }, ...classes.filter(([, count]) => count > 0)
      .map(([name, count]) => element("li", {}, name + " " + count))));
}

const count = (run, ...verdicts) => run.properties.filter((property) => verdicts.includes(property.verdict)).length;

function tally(run) {
  return ["pass", "fail", "error", "mistrusted", "skipped"].map((verdict) => [verdict, count(run, verdict)])
    .filter(([, times]) => times > 0).map(([verdict, times]) => times + " " + verdict).join(", ");
}

function facts(run) {
  const parts = [run.cases + " generated cases a property", "seed " + run.seed, "reference at " + run.digits + " digits"];
  if (run.filter) parts.push("properties that match " + run.filter);
  if (run.given.length) parts.push("given: " + run.given.join(", "));
  if (run.shard.total > 1) parts.push("shard " + run.shard.index + " of " + run.shard.total);
  return parts.join(" \u00b7 ");
}

function section(run) {
  const made = element("section", { "data-run": run.operation },
    element("h2", {}, run.operation + ": " + run.kernel),
    element("p", { class: "faint" }, facts(run)),
    element("p", {}, run.properties.length + " properties: " + tally(run)));
  if (run.units_done < run.units)
    made.append(element("p", { class: "banner" }, "Not finished: " + run.units_done + " of " + run.units +
      " units of the work are done. What is shown is of these alone."));
  made.append(table(run), ...run.properties.filter((property) => property.failure).map((property) => failure(run, property)));
  const covered = coverage(run);
  if (covered) made.append(covered);
  return made;
}

function verdictOf(report) {
  const bad = report.runs.reduce((sum, run) => sum + count(run, "fail", "error", "mistrusted"), 0);
  if (bad > 0) return ["fail", "\u2717 " + bad + " properties did not pass"];
  if (report.runs.some((run) => run.shard.total === 1 && count(run, "skipped") === run.properties.length))
    return ["mistrusted", "? nothing was judged"];
  return report.complete ? ["pass", "\u2713 nothing failed"] : ["mistrusted", "? not finished; nothing failed so far"];
}

function render(report) {
  const [kind, words] = verdictOf(report);
  const page = document.getElementById("page");
  page.append(element("h1", {}, "Assay report: ", element("span", { class: kind }, words)),
    element("p", { class: "faint" }, "assay " + report.version), ...report.runs.map(section));
  document.title = words + " \u2013 Assay report";
  document.documentElement.dataset.rendered = "yes";
}

try {
  render(JSON.parse(document.getElementById("report").textContent));
} catch (problem) {
  document.getElementById("page").append(
    element("p", { class: "banner", id: "problem" }, "This page cannot show its report: " + problem.message));
  throw problem;
}

// The page: a state, what the reference says of it, and everything that shows it.

import { showAlignments } from "./alignments.js";
import { bandElement, bands } from "./bands.js";
import { makeControls, showControls } from "./controls.js";
import { byId, element, setAttributes, setText } from "./elements.js";
import { startEngine } from "./engine.js";
import { latticeTable } from "./lattice.js";
import { logitTable } from "./logits.js";
import { alignmentsOf, computed } from "./model.js";
import { recursion } from "./recursion.js";
import { showResults } from "./results.js";
import { changed, commandOf, fromFragment, namesOf, toFragment } from "./state.js";
import { walk, walkStep } from "./walk.js";
import { labelsOf } from "./words.js";

const SETTLED = 150;  // milliseconds without a change, after which the slower parts follow

class Page {
  constructor(engine) {
    this.engine = engine;
    this.state = fromFragment(location.hash.slice(1));
    this.parts = [];
    this.shape = "";
    this.version = 0;  // of the state; settledVersion is the last one that was shown whole
    makeControls(() => this.state, (change) => this.change(change));
    byId("walk-steps").append(...walk.map(({ name }, i) => element("li", {}, element("button", {
      type: "button", click: () => this.enter(i + 1),
    }, element("span", { class: "ordinal" }, String(i + 1)), name))));
    byId("back").addEventListener("click", () => this.enter(this.state.step - 1));
    byId("on").addEventListener("click", () => this.enter(this.state.step + 1));
    byId("copy").addEventListener("click", () => this.copy());
    window.addEventListener("hashchange", () => this.followAddress());
    window.addEventListener("resize", () => this.change({}));
    this.openBands = new Set(walk[this.state.step - 1].bands);
    this.showStep();
    this.show();
  }

  /** What the reader did: the state changes now, the page with the next frame that the browser draws. */
  change(change) {
    if (change.logits && change.pattern === undefined) change = { ...change, pattern: "" };
    this.version += 1;
    this.state = changed(this.state, change);
    if (this.state.space === "scaled" && this.state.view === "beta_excluding") this.state.view = "beta_including";
    this.awaitsDrawing ??= requestAnimationFrame(() => {
      this.awaitsDrawing = null;
      this.show();
    });
  }

  /** Goes to a step of the walk, with the view that it speaks of. */
  enter(step) {
    if (step < 1 || step > walk.length) return;
    for (const name of walk[step - 1].bands) this.openBands.add(name);
    this.shape = "";
    this.change({ step, view: walk[step - 1].view });
    this.showStep(step);
  }

  showStep(step = this.state.step) {
    byId("walk-title").textContent = step + ". " + walk[step - 1].name;
    byId("walk-text").replaceChildren(...walkStep(walk[step - 1], (change) => this.change(change)));
    [...byId("walk-steps").querySelectorAll("button")].forEach((button, i) => {
      setAttributes(button, { "aria-current": i + 1 === step ? "step" : null });
      if (i + 1 === step) byId("walk-steps").scrollLeft = button.offsetLeft - 40;
    });
    byId("back").disabled = step === 1;
    byId("on").disabled = step === walk.length;
  }

  followAddress() {
    this.heardAddress = location.hash;
    if (location.hash.slice(1) === toFragment(this.state)) return;
    this.version += 1;
    this.state = fromFragment(location.hash.slice(1));
    this.shape = "";
    this.showStep();
    this.show();
  }

  /** Makes the tables anew where the shape of the problem changed: a drag must not lose the bar it holds. */
  build(names) {
    const { state } = this;
    const shape = [state.word, state.T, state.classes, state.space === "scaled"].join("|");
    if (shape === this.shape) return;
    this.shape = shape;
    const labels = labelsOf(state.word, names);
    const states = [0, ...labels.flatMap((label) => [label, 0])];
    const shown = names.map((_, k) => k).filter((k) => k === 0 || labels.includes(k));
    const logits = logitTable(state, names, shown, {
      logitOf: (t, k) => this.state.logits[t][k], setLogit: (t, k, value) => this.setLogit(t, k, value),
    });
    const lattice = latticeTable(state, names, states, (t, s) => this.change({ cell: [t, s] }));
    byId("logits").replaceChildren(logits.table);
    byId("lattice").replaceChildren(lattice.frame);
    const made = Object.keys(bands).map((name) => [name, bands[name].make(state, names, shown)]);
    byId("bands").replaceChildren(...made.map(([name, { table }]) => {
      const band = bandElement(name, {
        open: this.openBands.has(name), table, scaled: state.space === "scaled",
      });
      band.addEventListener("toggle", () => this.openBands[band.open ? "add" : "delete"](name));
      return band;
    }));
    this.parts = [logits, lattice, ...made.map(([, part]) => part)];
    this.states = states;
    this.shownClasses = shown;
    const hidden = names.length - shown.length;
    setText(byId("hidden-classes"), hidden === 0 ? "" :
      `(${hidden} of the ${names.length} take part and are not drawn)`);
  }

  /** As many significant digits as the columns of this window have room for. */
  digitsPerCell() {
    return byId("lattice").clientWidth / (this.state.T + 1) > 72 ? 3 : 2;
  }

  setLogit(t, k, value) {
    const logits = this.state.logits.map((row) => [...row]);
    if (logits[t][k] === value) return;
    logits[t][k] = value;
    this.change({ logits });
  }

  show() {
    const names = namesOf(this.state);
    const model = { ...computed(this.engine, this.state), digits: this.digitsPerCell() };
    this.model = model;
    this.build(names);
    showControls(this.state);
    for (const part of this.parts) part.update(model);
    byId("recursion").replaceChildren(...recursion(model, names, this.states));
    setText(byId("command"), commandOf(this.state));
    byId("app").dataset.number = this.state.number;
    byId("app").dataset.space = this.state.space;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settle(names), SETTLED);
    showResults({
      pName: byId("p-name"), p: byId("p"), loss: byId("loss"), exactLoss: byId("exact-loss"),
      typeName: byId("type-name"), lost: byId("lost"),
    }, model);
  }

  /** What follows once the reader's hand rests: the list of alignments, the address, and the words read out. */
  settle(names) {
    const answer = alignmentsOf(this.engine, this.state);
    showAlignments(byId("alignments"), answer, this.state, names, (path) => this.change({ path }));
    this.alignments = answer;
    const fragment = toFragment(this.state);
    if (location.hash.slice(1) !== fragment) history.replaceState(null, "", "#" + fragment);
    setText(byId("spoken"), `Loss ${byId("loss").textContent}. ${byId("lost").textContent}`);
    this.settledVersion = this.version;
  }

  async copy() {
    const text = byId("command").textContent;
    try {
      await navigator.clipboard.writeText(text);
      setText(byId("copied"), "Copied.");
    } catch {
      getSelection().selectAllChildren(byId("command"));
      setText(byId("copied"), "Selected: copy it with your keyboard.");
    }
  }
}

try {
  window.assay = new Page(await startEngine());
} catch (error) {
  byId("failure").hidden = false;
  setText(byId("failure"), "This page cannot run here: " + error.message);
  throw error;
}

// The page: a state, what the reference says of it, and everything that shows it.

import { showAlignments } from "./alignments.js";
import { bandElement, bands } from "./bands.js";
import { showCollapse } from "./collapse.js";
import { makeControls, showControls } from "./controls.js";
import { byId, element, setAttributes, setText } from "./elements.js";
import { startEngine } from "./engine.js";
import { latticeTable } from "./lattice.js";
import { logitTable } from "./logits.js";
import { alignmentsOf, computed } from "./model.js";
import { kindOf, short } from "./numbers.js";
import { latticePng, latticeSvg, save } from "./picture.js";
import { recursion } from "./recursion.js";
import { showResults } from "./results.js";
import { descended } from "./patterns.js";
import { showRecording } from "./sound.js";
import { Story } from "./story.js";
import { changed, commandOf, fromFragment, namesOf, toFragment, VIEWS } from "./state.js";
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
    byId("descend").addEventListener("click", () => this.descend());
    byId("sweep").addEventListener("input", () => this.sweepTo(Number(byId("sweep").value)));
    byId("play").addEventListener("click", () => this.play());
    byId("save-svg").addEventListener("click", () => this.saveSvg());
    byId("save-png").addEventListener("click", async () => save(this.fileName("png"), await latticePng(this.pictureTitle())));
    window.addEventListener("hashchange", () => this.followAddress());
    window.addEventListener("resize", () => this.change({}));
    this.openBands = new Set(walk[this.state.step - 1].bands);
    this.story = new Story(this);
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
    showRecording(this.state, (t) => this.sweepTo(this.state.view.startsWith("beta") ? this.state.T - 1 - t : t));
    const sweepKey = this.shape + this.state.view;
    if (sweepKey !== this.sweepKey) this.sweepTo(this.state.T - 1);
    this.sweepKey = sweepKey;
    setText(byId("command"), commandOf(this.state));
    byId("descend").disabled = kindOf(model.exact.loss) === "infinite";
    byId("app").dataset.number = this.state.number;
    byId("app").dataset.space = this.state.space;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settle(names), this.settledVersion === undefined ? 0 : SETTLED);
    showResults({
      pName: byId("p-name"), p: byId("p"), loss: byId("loss"), exactLoss: byId("exact-loss"),
      typeName: byId("type-name"), lost: byId("lost"),
    }, model);
  }

  /** What follows once the reader's hand rests: the list of alignments, the address, and the words read out. */
  settle(names) {
    const answer = alignmentsOf(this.engine, this.state);
    showAlignments(byId("alignments"), answer, this.state, names, (path) => this.change({ path }));
    showCollapse(this.state.path ?? answer.best, names);
    this.alignments = answer;
    const fragment = toFragment(this.state);
    if (location.hash.slice(1) !== fragment) history.replaceState(null, "", "#" + fragment);
    setText(byId("spoken"), `Loss ${byId("loss").textContent}. ${byId("lost").textContent}`);
    this.settledVersion = this.version;
  }

  /** Takes one step down the gradient, the one with 50 digits, and says what the loss was and is. */
  descend() {
    const { state, exact } = this.model;
    this.change({ logits: descended(state.logits, exact.gradient) });
    const before = exact.loss;
    requestAnimationFrame(() => setText(byId("descended"),
      `The loss was ${short(before, 4)} and is ${short(this.model.exact.loss, 4)}.`));
  }

  /** Shows the lattice up to so many steps of its recursion: alpha's from the first frame, beta's from the last. */
  sweepTo(step) {
    const backward = this.state.view.startsWith("beta"), last = this.state.T - 1;
    byId("sweep").max = last;
    byId("sweep").value = step;
    for (const line of byId("lattice").querySelectorAll("tbody tr"))
      [...line.querySelectorAll(".cell")].forEach((cell, t) =>
        setAttributes(cell, { "data-later": (backward ? last - t : t) > step ? "" : null }));
  }

  /** Fills the lattice frame by frame. */
  play() {
    clearInterval(this.playing);
    this.sweepTo(0);
    this.playing = setInterval(() => {
      const step = Number(byId("sweep").value);
      if (step >= this.state.T - 1) clearInterval(this.playing);
      else this.sweepTo(step + 1);
    }, 500);
  }

  pictureTitle() {
    const { word, T, view, number, space } = this.state;
    return `${VIEWS.get(view)} of “${word}” in ${T} frames, ${number === "50" ? "50 digits" : number}, ${space}`;
  }

  fileName(ending) {
    return `ctc-${this.state.word.replaceAll(" ", "-") || "empty"}-${this.state.view}.${ending}`;
  }

  saveSvg() {
    save(this.fileName("svg"), new Blob([latticeSvg(this.pictureTitle()).text], { type: "image/svg+xml" }));
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

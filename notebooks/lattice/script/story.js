// The story of CTC in five minutes: scenes that change the page, fill the lattice and walk down the gradient by themselves.
// Who asked for less motion turns the scenes with the buttons.

import { byId, setText } from "./elements.js";
import { labelsOf } from "./words.js";
import { namesOf } from "./state.js";

const WORDS_A_SECOND = 2.3, REST = 3;  // seconds after the words, to look

/** The classes of an alignment of the speech data, written with - for the blank. */
const heardAs = (text) => [...text].map((c) => c === "-" ? 0 : labelsOf(c, namesOf({ word: "", classes: "all" }))[0]);

const helloStory = { word: "hello", T: 13, classes: "all", pattern: "speech", scale: 1, number: "double", space: "probability" };
const catStory = { word: "cat", T: 5, classes: "word", pattern: "peaky", scale: 1, number: "double", space: "probability" };
const untaughtStory = { ...catStory, T: 6, pattern: "uniform" };

/** step: of the walk; change: of the state; at: what to look at; does: fill or descend. */
export const scenes = [
  { step: 1, at: "logits", change: helloStory, says: "Somebody says hello. A network listens, in 13 frames of 30 milliseconds. For each frame it says how probable each letter is. We know the word. We do not know which frame belongs to which letter." },
  { step: 1, at: "lattice", change: { ...helloStory, word: "helo", path: heardAs("hhheeellllloo") }, says: "The naive idea: give each letter its share of the frames. The network finds this path absurd: nobody speaks so evenly. And merged, it reads helo, since both l become one." },
  { step: 1, at: "lattice", change: { ...helloStory, path: heardAs("-hel-lloo----") }, says: "So there is one class more, the blank: no new letter here. A blank between the two l keeps them apart. This path is what the network itself would choose. Merge repeats, drop the blanks: hello." },
  { step: 1, at: "alignments", change: { ...catStory, path: null }, says: "A shorter word, cat in five frames. All the ways to say it are in the list. The loss must not ask for one of them: it asks for their sum. Of hello in 13 frames there are nineteen thousand; of a sentence, more than a year could list." },
  { step: 2, at: "lattice", change: { ...catStory, view: "alpha", cell: null }, does: "fill", says: "But the ways share their beginnings. Write the word with blanks around its letters, downwards; frames go to the right. Alpha adds up all beginnings that arrive in a cell. It fills the frames one after the other." },
  { step: 2, at: "recursion", change: { ...catStory, view: "alpha", cell: [2, 3] }, says: "One cell needs three numbers: those of the frame before that may step here, added, times this letter's output. A few dozen additions and products do the work of the whole list. The last two cells of the last frame add up to the probability of the word." },
  { step: 2, at: "lattice", change: { ...catStory, word: "aab", T: 6, view: "alpha", cell: [3, 3] }, says: "Equal letters are the trap. Skipping the blank between two a would merge them: the dashed step is forbidden. A program that forgets this is right for most words." },
  { step: 3, at: "lattice", change: { ...catStory, view: "beta_including", cell: null }, does: "fill", says: "The same from the other end: beta adds up all ways to finish from a cell. It fills the frames from the last to the first. Two books define it differently, by one factor, and programs have mixed them up." },
  { step: 3, at: "bands", change: { ...catStory, view: "product" }, says: "Alpha times beta is the weight of all ways through a cell. Each way is in one cell of each frame, so every frame adds up to the same sum: the probability of the word. One step forgotten, and the frames disagree." },
  { step: 4, at: "bands", change: { ...helloStory, view: "product" }, says: "Divided by that sum, it is the posterior: how probable each letter is in a frame, for somebody who knows the word. It is what the network should have said." },
  { step: 5, at: "bands", change: { ...catStory, view: "product" }, says: "And that is the gradient: what the network says, minus what it should have said. Nothing else is left of all the sums. Where both agree, nothing is to be learned." },
  { step: 5, at: "logits", change: untaughtStory, does: "descend", says: "Let a network that knows nothing follow it. Every second, a step down the gradient. Watch the loss fall, and the outputs choose an alignment: nobody told them which." },
  { step: 6, at: "lattice", change: { ...helloStory, word: "hallo", view: "alpha", number: "half" }, does: "fill", says: "On paper this is all. In a computer, products of small numbers end. In half precision, hello taken for hallo: the hatched cells came out as zero, and every way through them is lost." },
  { step: 6, at: "lattice", change: { ...helloStory, word: "hallo", view: "alpha", number: "half", space: "log" }, says: "Logarithms keep every cell, and lose digits. Scaling keeps the digits, and loses cells that are small beside others. How much a right program may lose is a theorem, and a wrong one loses more. That is how this project tells them apart." },
  { step: 1, at: "walk-title", change: { ...catStory, path: null }, says: "Now it is yours. Drag a bar, choose a cell, type a word. The six steps above derive everything that you saw, and the numbers under your hand are those of the reference." },
];

export const secondsOf = ({ says }) => says.split(" ").length / WORDS_A_SECOND + REST;

export class Story {
  constructor(page) {
    this.page = page;
    this.at = -1;  // before the first scene
    this.pace = 1;
    const on = { "story-start": () => this.begin(), "story-pause": () => this.pause(), "story-back": () => this.show(this.at - 1),
      "story-on": () => this.show(this.at + 1), "story-end": () => this.end() };
    for (const [id, act] of Object.entries(on)) byId(id).addEventListener("click", act);
    addEventListener("keydown", ({ key }) => { if (key === "Escape" && this.at >= 0) this.end(); });
  }

  begin() {
    this.before = this.page.state;
    this.paused = matchMedia("(prefers-reduced-motion: reduce)").matches;
    byId("story").hidden = false;
    this.show(0);
    byId("story-pause").focus();
  }

  show(at) {
    this.still();
    if (at < 0) return;
    if (at >= scenes.length) return this.end();
    this.at = at;
    const { step, change, at: place, does, says } = scenes[at];
    this.page.enter(step);
    this.page.change({ cell: null, ...change });
    this.page.change({ path: change.path ?? null });  // after the word, which may be another
    setText(byId("story-says"), says);
    setText(byId("story-place"), `${at + 1} of ${scenes.length}`);
    byId("story-progress").style.width = `${100 * (at + 1) / scenes.length}%`;
    byId("story-back").disabled = at === 0;
    setText(byId("story-pause"), this.paused ? "Go on" : "Pause");
    requestAnimationFrame(() => byId(place).scrollIntoView({ block: "center", behavior: this.paused ? "instant" : "smooth" }));
    if (this.paused) return;
    this.timers.push(setTimeout(() => this.show(at + 1), 1000 * this.pace * secondsOf(scenes[at])));
    if (does === "fill") this.timers.push(setTimeout(() => this.page.play(), 1000 * this.pace));
    if (does === "descend") this.repeating = setInterval(() => this.page.descend(), 1000 * this.pace);
  }

  /** Ends what moves. */
  still() {
    for (const timer of this.timers ?? []) clearTimeout(timer);
    clearInterval(this.repeating);
    clearInterval(this.page.playing);
    this.timers = [];
  }

  pause() {
    this.paused = !this.paused;
    this.show(this.at);
  }

  /** Back to what the reader had before. */
  end() {
    this.still();
    this.at = -1;
    byId("story").hidden = true;
    this.page.enter(this.before.step);
    this.page.change(this.before);
    this.page.change({ path: this.before.path, cell: this.before.cell });
    byId("story-start").focus();
  }
}

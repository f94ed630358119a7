// The recording of the speech data: what the acoustic model heard, drawn over the frames, and played.

import { byId, element, setText } from "./elements.js";

const FRAME = 0.03;  // seconds of a frame
const HEADER = 44;  // bytes of a WAVE file before its samples, of 16 bits

const recorded = () => document.getElementById("recording-data").textContent.trim();

/** The samples, in [-1, 1), and how many there are in a second. */
export function samples() {
  const bytes = Uint8Array.from(atob(recorded()), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const values = Array.from({ length: (bytes.length - HEADER) >> 1 }, (_, i) => view.getInt16(HEADER + 2 * i, true) / 32768);
  return { values, rate: view.getUint32(24, true) };
}

/** The waveform over T frames, a vertical line from the least to the largest sample of each of 24 parts of a frame. */
function drawn(T) {
  const { values, rate } = samples(), parts = 24, length = rate * FRAME / parts;
  const path = Array.from({ length: T * parts }, (_, i) => {
    const part = values.slice(Math.round(i * length), Math.round((i + 1) * length));
    const [low, high] = part.length ? [Math.min(...part), Math.max(...part)] : [0, 0];
    return `M${((i + 0.5) / parts).toFixed(3)} ${(-high).toFixed(3)}V${(-low + 0.01).toFixed(3)}`;
  }).join("");
  return element("svg", { viewBox: `0 -1 ${T} 2`, preserveAspectRatio: "none", "aria-hidden": "true" }, element("path", { d: path }));
}

let audio = null;

/** Plays it, and tells `frameHeard(t)` of each of the T frames as it sounds. */
async function play(T, frameHeard) {
  audio ??= new Audio("data:audio/wav;base64," + recorded());
  audio.currentTime = 0;
  try {
    await audio.play();
  } catch (error) {
    setText(byId("heard"), "This browser does not play it: " + error.message);
    return;
  }
  const from = performance.now();
  const follow = () => {
    const t = Math.floor((performance.now() - from) / 1000 / FRAME);
    frameHeard(Math.min(t, T - 1));
    if (t < T) requestAnimationFrame(follow);
  };
  follow();
}

/** Shows the recording where the logits are those of the speech; `frameHeard(t)` as above. */
export function showRecording(state, frameHeard) {
  const place = byId("recording");
  place.hidden = state.pattern !== "speech";
  if (place.hidden || byId("waveform").childElementCount) return;
  byId("waveform").style.setProperty("--frames", state.T);
  byId("waveform").replaceChildren(drawn(state.T));
  byId("hear").addEventListener("click", () => play(state.T, frameHeard));
}

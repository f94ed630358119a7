// Logits [T][C]. All are multiples of 1/16 within [-8, 8], which every number type of the page holds exactly, but for
// those of speech, which are halves.

export const LIMIT = 8, STEP = 0.25;
export const snapped = (x) => Math.min(LIMIT, Math.max(-LIMIT, Math.round(x / STEP) * STEP));

const filled = (T, C, value) =>
  Array.from({ length: T }, (_, t) => Array.from({ length: C }, (_, k) => value(t, k)));

export const uniform = (T, C) => filled(T, C, () => 0);
export const random = (T, C) => filled(T, C, () => snapped((Math.random() - Math.random()) * 4));

/** A network that has learnt: most frames say blank, and each label has a frame of its own. */
export function peaky(T, C, labels) {
  const at = labels.map((_, i) => Math.min(T - 1, Math.floor((i + 0.5) * T / labels.length)));
  return filled(T, C, (t, k) => {
    const i = at.indexOf(t);
    const peak = i < 0 ? 0 : labels[i];
    if (k === peak) return 3;
    return k === 0 || at[i - 1] === t - 1 && k === labels[i - 1] ? 0.75 : snapped(-0.5 - ((t * 5 + k * 3) % 4) / 4);
  });
}

/** The logits after a step of length 4 against the gradient: those that it moves by 1/32 or more, to a grid of 1/16. */
export const descended = (logits, gradient) => logits.map((row, t) => row.map((logit, k) => {
  const step = 4 * Number(gradient[t][k]), limit = Math.max(LIMIT, Math.abs(logit));
  if (Math.abs(step) < 1 / 32) return logit;
  return Math.min(limit, Math.max(-limit, Math.round((logit - step) * 16) / 16));
}));

/** The logits that go over to another number of frames or to other classes: what has a place there keeps its value. */
export function carriedOver(logits, names, T, newNames) {
  return filled(T, newNames.length, (t, k) => logits[t]?.[names.indexOf(newNames[k])] ?? 0);
}

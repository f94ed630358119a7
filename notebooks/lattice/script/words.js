// Words, labels and classes. The blank is class 0. Of the alphabet, the others are a..z and the space, 1 to 27, as in
// notebooks/data; of a word, its own letters in alphabetical order.

export const BLANK = "–";
const ALPHABET = [..."abcdefghijklmnopqrstuvwxyz "];
export const MOST_LETTERS = 8, MOST_FRAMES = 16;

/** What of the typed text can be a label: lower-case letters and spaces, at most MOST_LETTERS. */
export function cleaned(text) {
  return [...text.toLowerCase()].filter((letter) => ALPHABET.includes(letter)).slice(0, MOST_LETTERS).join("");
}

/** The names of the classes [C], the blank first. */
export function classNames(word, set) {
  const letters = set === "all" ? ALPHABET : ALPHABET.filter((letter) => word.includes(letter));
  return [BLANK, ...letters];
}

/** The labels [S] of the word among these classes. */
export const labelsOf = (word, names) => [...word].map((letter) => names.indexOf(letter));

/** Labels and repeats: the fewest frames that can hold the word. */
export function fewestFrames(word) {
  return word.length + [...word].filter((letter, i) => i > 0 && letter === word[i - 1]).length;
}

export const visible = (name) => name === " " ? "␣" : name;
export const spoken = (name) => name === BLANK ? "blank" : name === " " ? "space" : name;

/** Whether a path may step from l'[s-2] to l'[s], and why it may not. */
export function skipTo(states, s) {
  if (s < 2) return { allowed: false, why: "there is no state " + (s - 2) };
  if (s % 2 === 0) return { allowed: false, why: "a blank cannot be skipped to: that would leave out a label" };
  if (states[s] === states[s - 2])
    return { allowed: false, why: "no skip between equal labels: without the blank they would merge" };
  return { allowed: true };
}

/** The states that an alignment passes: each class tells where it must be. */
export function statesOf(alignment, states) {
  const path = [];
  for (const k of alignment) {
    const s = path.at(-1);
    if (s === undefined) path.push(k === states[0] ? 0 : 1);
    else if (k === states[s]) path.push(s);
    else path.push(k === states[0] || states[s] === states[0] ? s + 1 : s + 2);
  }
  return path;
}

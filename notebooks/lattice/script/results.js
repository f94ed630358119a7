// What came out: the loss in the type chosen and with 50 digits, and what was lost on the way.

import { setAttributes, setText } from "./elements.js";
import { absolute, difference, kindOf, short } from "./numbers.js";
import { largestError, lostIn } from "./model.js";
import { NUMBERS } from "./state.js";

const matrices = ["y", "alpha", "beta_including", "beta_excluding"];

/** How many numbers of y, alpha and the betas became 0. */
function lostNumbers({ response, exact, logarithms }) {
  return matrices.filter((field) => response[field] && exact[field])
    .reduce((count, field) => count + lostIn(response[field], exact[field], logarithms), 0);
}

function lossWords({ response, exact }) {
  if (kindOf(exact.loss) === "infinite") return "The word has no alignment, so the loss is rightly infinite.";
  if (kindOf(response.loss) === "nan") return "The loss is not a number.";
  if (kindOf(response.loss) === "infinite") return "The loss became infinite: all of p was lost.";
  const error = absolute(difference(response.loss, exact.loss));
  return kindOf(error) === "zero" ? "The loss has all its digits." : `The loss is off by ${short(error, 2)}.`;
}

function gradientWords({ response, exact }) {
  if (kindOf(exact.loss) === "infinite") return "";
  const [direct, twoStep] = ["gradient", "gradient_two_step"].map((field) =>
    largestError(response[field], exact.gradient));
  const said = (error) => error === "nan" ? "not a number" : short(error, 2);
  const cause = squareUnderflowed({ response, exact }) ? ": y² underflowed, and 0 / 0 is not a number" : "";
  return `Largest error of the gradient: ${said(direct)} directly, ${said(twoStep)} in two steps${cause}.`;
}

/** Whether the first of the two steps is not a number, although the loss and y are: the square of y in it is 0. */
function squareUnderflowed({ response, exact }) {
  return response.output_error.some((row, t) => row.some((text, k) =>
    kindOf(text) === "nan" && kindOf(response.y[t][k]) === "finite" && kindOf(exact.output_error[t][k]) !== "nan"));
}

function lostWords(count, square) {
  if (count === 0) return square ? "Nothing but y² underflowed." : "Nothing underflowed.";
  return count === 1 ? "1 number underflowed to 0." : count + " numbers underflowed to 0.";
}

export function showResults(places, model) {
  const { state, response, exact, logarithms } = model;
  setText(places.pName, logarithms ? "ln p(ℓ|x)" : "p(ℓ|x)");
  const shown = [[places.p, response.p, 6], [places.loss, response.loss, 8], [places.exactLoss, exact.loss, 8]];
  for (const [place, text, digits] of shown) {
    setText(place, short(text, digits));
    setAttributes(place, { "data-value": text, title: text });
  }
  setText(places.typeName, NUMBERS.get(state.number));
  const count = lostNumbers(model);
  const words = state.number === "50" ? ["With 50 digits, no digit that the page shows is lost."]
    : [lostWords(count, squareUnderflowed(model)), lossWords(model), gradientWords(model)];
  setText(places.lost, words.filter(Boolean).join(" "));
  setAttributes(places.lost, { "data-lost": count });
}

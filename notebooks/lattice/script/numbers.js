// Decimal texts as the reference prints them: "0.1875", "-2.5e-7", "inf", "nan". They stay texts, because no number of
// JavaScript holds 50 digits; what is summed or subtracted here is so exactly, over big integers.

const decimalPattern = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/** The number digits * 10^exponent with `digits` a big integer, or null where the text is not a finite decimal. */
export function parseDecimal(text) {
  const match = decimalPattern.exec(text);
  if (!match) return null;
  const [, sign, whole, fraction = "", exponent = "0"] = match;
  const digits = BigInt(whole + fraction);
  return { digits: sign ? -digits : digits, exponent: Number(exponent) - fraction.length };
}

export const isNan = (text) => text === "nan" || text === "-nan";
export const isInfinite = (text) => text === "inf" || text === "-inf";

/** "nan", "infinite", "zero" or "finite". */
export function kindOf(text) {
  if (isNan(text)) return "nan";
  if (isInfinite(text)) return "infinite";
  return parseDecimal(text).digits === 0n ? "zero" : "finite";
}

const magnitude = (digits) => digits < 0n ? -digits : digits;

/** log10 |x| of a finite decimal that is not 0. */
export function log10(text) {
  const { digits, exponent } = parseDecimal(text);
  const significant = magnitude(digits).toString();
  return Math.log10(Number("0." + significant.slice(0, 17))) + significant.length + exponent;
}

/** The nearest number of JavaScript: for places and colours on the screen. */
export function toNumber(text) {
  if (isNan(text)) return NaN;
  if (isInfinite(text)) return text === "inf" ? Infinity : -Infinity;
  return Number(text);
}

function combine(terms) {
  const exponent = Math.min(...terms.map((term) => term.exponent));
  const digits = terms.reduce((sum, term) => sum + term.digits * 10n ** BigInt(term.exponent - exponent), 0n);
  return digits + "e" + exponent;
}

/** The exact sum of decimal texts; "nan" where one of them is not finite. */
export function sum(texts) {
  const terms = texts.map(parseDecimal);
  return terms.includes(null) ? "nan" : combine([{ digits: 0n, exponent: 0 }, ...terms]);
}

/** The exact a - b; "nan" where one of them is not finite. */
export function difference(a, b) {
  const minuend = parseDecimal(a), subtrahend = parseDecimal(b);
  if (!minuend || !subtrahend) return "nan";
  return combine([minuend, { ...subtrahend, digits: -subtrahend.digits }]);
}

export const absolute = (text) => text.replace(/^-/, "");

/** Whether |a| > |b|, both finite. */
export function isLarger(a, b) {
  const difference = parseDecimal(combine([a, b].map((text, i) => {
    const { digits, exponent } = parseDecimal(text);
    return { digits: i === 0 ? magnitude(digits) : -magnitude(digits), exponent };
  })));
  return difference.digits > 0n;
}

/** To `count` significant digits, in the space of a cell: "0.188", "1.23e−7", "0", "−∞", "NaN". */
export function short(text, count = 3) {
  if (isNan(text)) return "NaN";
  if (isInfinite(text)) return text === "inf" ? "∞" : "−∞";
  const { digits, exponent } = parseDecimal(text);
  if (digits === 0n) return "0";
  let significant = magnitude(digits).toString();
  let point = significant.length + exponent;  // x = 0.significant * 10^point
  if (significant.length > count) {
    const kept = (BigInt(significant.slice(0, count)) + (significant[count] >= "5" ? 1n : 0n)).toString();
    point += kept.length - count;
    significant = kept;
  }
  significant = significant.replace(/0+$/, "");
  const sign = digits < 0n ? "−" : "";
  if (point < -2 || point > 5) {
    const power = String(point - 1).replace("-", "−");
    return sign + significant[0] + (significant.length > 1 ? "." + significant.slice(1) : "") + "e" + power;
  }
  if (point <= 0) return sign + "0." + "0".repeat(-point) + significant;
  const whole = significant.padEnd(point, "0");
  return sign + whole.slice(0, point) + (whole.length > point ? "." + whole.slice(point) : "");
}

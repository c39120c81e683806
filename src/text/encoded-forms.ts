/** A text as it looks on its way through headers, addresses and JSON. */

/** Each form under the name of its encoding; the text itself has none. The first of equal forms stands for all. */
export function encodedForms(value: string): readonly (readonly [encoding: string, form: string])[] {
  const base64 = Buffer.from(value).toString("base64").replace(/=+$/, "");
  const forms: (readonly [string, string])[] = [
    ["", value],
    ["base64", base64],
    ["base64url", urlSafe(base64)],
    ["percent", encodeURIComponent(value.toWellFormed())],
    ["percent-lower", lowerPercent(encodeURIComponent(value.toWellFormed()))],
    ["percent-form", new URLSearchParams([["", value.toWellFormed()]]).toString().slice(1)],
    ["json", JSON.stringify(value).slice(1, -1)],
    ["json-twice", JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1)],
    ["json-ascii", asciiJson(value)],
    // As PHP, Go and .NET write it, and Python's quote, which leaves slashes alone.
    ["json-slash", JSON.stringify(value).slice(1, -1).replaceAll("/", "\\/")],
    ["json-html", escapeUnits(JSON.stringify(value).slice(1, -1), /[&<>]/g, (hex) => hex)],
    [
      "json-html-upper",
      escapeUnits(JSON.stringify(value).slice(1, -1), /[&<>+']/g, (hex) => hex.toUpperCase()),
    ],
    ["percent-path", encodeURIComponent(value.toWellFormed()).replaceAll("%2F", "/")],
    ["hex", Buffer.from(value).toString("hex")],
    ["hex-upper", Buffer.from(value).toString("hex").toUpperCase()],
    ...[0, 1, 2].flatMap((before): (readonly [string, string])[] => {
      const middle = base64Middle(value, before);
      return [
        [`base64+${before}`, middle],
        [`base64url+${before}`, urlSafe(middle)],
      ];
    }),
  ];
  return forms.filter(([, form], at) => forms.findIndex(([, other]) => other === form) === at);
}

/**
 * What base64 makes of the value inside of a longer text, as in `Basic` with a name before it: which of three depends on how
 * many bytes stand before it. Digits that neighbours have a part in are left out.
 */
function base64Middle(value: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
  const digits = bytes.toString("base64");
  return digits.slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

function urlSafe(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}

function lowerPercent(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
}

/** As encoders write it that leave nothing but ASCII, such as Python's. */
function asciiJson(value: string): string {
  return escapeUnits(JSON.stringify(value).slice(1, -1), /[^ -~]/g, (hex) => hex);
}

function escapeUnits(text: string, units: RegExp, write: (hex: string) => string): string {
  return text.replace(units, (unit) => `\\u${write(unit.charCodeAt(0).toString(16).padStart(4, "0"))}`);
}

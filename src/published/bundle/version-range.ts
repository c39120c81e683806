/** Whether a version of a runtime is in the range that a bundle asks for, as npm writes ranges. */

type Version = readonly [major: number, minor: number, patch: number];

/** True also for what is no range: a bundle is not refused for a text that says nothing. */
export function isInRange(version: string, range: string): boolean {
  const asked = readVersion(version);
  if (asked === undefined) return true;
  return range
    .slice(0, 200)
    .split("||")
    .some((part) => wordsOf(part).every((word) => fits(asked, word)));
}

/** `>= 18` is one word, and so is `18 - 20`, which is two. */
function wordsOf(part: string): string[] {
  const joined = part.replace(/(\S+)\s+-\s+(\S+)/g, ">=$1 <=$2").replace(/([<>=~^]+)\s+/g, "$1");
  return joined
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "");
}

function fits(version: Version, word: string): boolean {
  const [, sign = "", major, minor, patch] =
    /^([<>]=?|[=~^])?v?(\d{1,6}|[xX*])(?:\.(\d{1,6}|[xX*]))?(?:\.(\d{1,6}|[xX*]))?/.exec(word) ?? [];
  const parts = [major, minor, patch].map((part) =>
    part === undefined || /[xX*]/.test(part) ? undefined : Number(part),
  );
  if (parts[0] === undefined) return true;
  const low: Version = [parts[0], parts[1] ?? 0, parts[2] ?? 0];
  const end = endOf(sign, parts);
  switch (sign) {
    case ">=":
      return compare(version, low) >= 0;
    case "<":
      return compare(version, low) < 0;
    case ">":
      return compare(version, end) >= 0;
    case "<=":
      return compare(version, end) < 0;
    default:
      return compare(version, low) >= 0 && compare(version, end) < 0;
  }
}

/** The first version behind what a word means: `18` ends at 19.0.0, `^18.2` as well, `~18.2` and `18.2` at 18.3.0. */
function endOf(sign: string, [major, minor, patch]: readonly (number | undefined)[]): Version {
  const isCaret = sign === "^" && major! > 0;
  if (minor === undefined || isCaret) return [major! + 1, 0, 0];
  if (patch === undefined || sign === "~" || (sign === "^" && minor > 0)) return [major!, minor + 1, 0];
  return [major!, minor, patch + 1];
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function readVersion(text: string): Version | undefined {
  const [, major, minor, patch] = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

/**
 * Words as they look. Letters of other scripts that look like Latin ones, full-width and mathematical letters, accents,
 * and digits in the place of letters are ways to write a word that a model reads and a list of words does not.
 */

/** Cyrillic, Greek and other letters by the Latin letter that they look like. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "аɑα",
    b: "вЬʙ",
    c: "сϲᴄ",
    d: "ԁɗᴅ",
    e: "еєεҽᴇ",
    f: "ғꜰ",
    g: "ɡԍɢ",
    h: "һнʜ",
    i: "іιıɪӏ",
    j: "јᴊ",
    k: "кκᴋ",
    l: "ⅼʟǀ",
    m: "мᴍ",
    n: "пηոɴ",
    o: "оοσᴏօ",
    p: "рρᴘ",
    q: "ԛ",
    r: "гʀᴦ",
    s: "ѕꜱ",
    t: "тτᴛ",
    u: "υսᴜц",
    v: "ѵνᴠ",
    w: "ѡωԝᴡ",
    x: "хχ",
    y: "уүγʏ",
    z: "ᴢ",
  }).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin] as const)),
);

const LEET: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "@": "a",
  $: "s",
  "|": "l",
};

const PLAIN = /^[a-z]+$/;
const LEET_WORD = /^(?=.*[a-z])(?=.*[0-9@$|])[a-z0134578@$|]+$/;

/** A word in lower case, without accents and compatibility forms. */
export function foldWord(word: string): string {
  const lower = word.toLowerCase();
  if (PLAIN.test(lower)) return lower;
  return lower
    .normalize("NFKD")
    .replace(/\p{Mn}+/gu, "")
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("’", "'");
}

/** The Latin word that a folded word of mixed scripts looks like; undefined where it does not mix them. */
export function unmaskWord(folded: string): string | undefined {
  if (PLAIN.test(folded)) return undefined;
  let latin = "";
  let isChanged = false;
  for (const char of folded) {
    const like = LOOKALIKES.get(char);
    isChanged ||= like !== undefined;
    latin += like ?? char;
  }
  return isChanged && /^[a-z0-9'@$|]+$/.test(latin) ? latin : undefined;
}

/** The word that digits stand in for: `1gn0r3`; undefined where there are none among letters. */
export function unleetWord(folded: string): string | undefined {
  if (!LEET_WORD.test(folded)) return undefined;
  return folded.replace(/[0-9@$|]/g, (char) => LEET[char] ?? char);
}

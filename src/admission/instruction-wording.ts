/**
 * Wording that speaks to the model and not about the tool. Each rule wants a whole phrase, because every word of it
 * alone is also in the descriptions of honest tools. Gaps are bounded and end with the sentence, so a hostile text of
 * any length is read in a time that grows with its length alone.
 */

interface Rule {
  readonly what: string;
  readonly pattern: RegExp;
  /** What the pattern cannot say. */
  readonly holds?: (found: string) => boolean;
}

const SECRET_FILES = String.raw`(?:~?/?\.ssh\b|\bid_(?:rsa|ed25519)\b|(?<![\w.])\.env\b(?!\.)|/etc/(?:passwd|shadow)\b|\.aws/|\.netrc\b|\.git-credentials\b|\bcredentials(?:\.json|\s+files?)\b|(?<![\w-])\.?mcp\.json\b|\.cursor/)`;

const RULES: readonly Rule[] = [
  {
    what: "tells the model to ignore its instructions",
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\b(?:[^.!?\n]{0,40}\b(?:previous|prior|earlier|above|preceding|system|your)\b[^.!?\n]{0,20}\b(?:instructions?|prompts?|rules|guidelines|directives|policies)|\s+(?:all|any)\s+(?:other\s+)?instructions)\b/i,
  },
  {
    what: "tells the model to keep something from the user",
    // "Do not guess, tell the user" is good advice: nothing but an adverb may stand between.
    pattern:
      /\b(?:do\s+not|don['’]?t|never|must\s+not|mustn['’]?t|without)(?:\s+(?:ever|explicitly|directly|even|also))?(?:,[^,.!?\n]{1,40},)?\s+(?:tell|mention|inform|reveal|disclose|notify|alert|warn)(?:ing)?\b[^.!?\n]{0,60}?\b(?:the|your|any)\s+(?:human\s+|end[ -])?users?\b/i,
  },
  {
    what: "tells the model to keep something from the user",
    pattern:
      /\b(?:the|your)\s+user\s+(?:must|should|may|need)\s*(?:not|n['’]t|never)\s+(?:be\s+(?:told|informed|made\s+aware|notified)|know|notice|learn)\b|\bkeep\b[^.!?\n]{0,40}\b(?:secret|hidden)\s+from\s+(?:the|your)\s+user\b|\b(?:hide|conceal)\s+(?:this|that|it|these|them)\b[^.!?\n]{0,40}\bfrom\s+(?:the|your)\s+user\b/i,
  },
  {
    what: "puts itself before all other tools",
    pattern:
      /\bbefore\s+(?:(?:you\s+)?(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?)\s+(?:any|every|all)\s+(?:of\s+the\s+)?(?:other\s+)?|(?:any|every|all)\s+(?:of\s+the\s+)?other\s+)tools?\b/i,
  },
  {
    what: "has a tag that sets it apart for the model",
    pattern:
      /<\s*\/?\s*(?:important|system|secret|hidden|instructions?|override|admin|assistant|critical)(?:[\s_-]\w{1,30}){0,3}\s*\/?>|<\|(?:im_start|im_end|system|endoftext)\|>|<<SYS>>|\[\/?INST\]/i,
  },
  {
    what: "wants a file that holds secrets",
    pattern: new RegExp(
      String.raw`\b(?:read|open|cat|fetch|access|include|pass|send|upload|contents?\s+of)\b[^!?\n]{0,60}?${SECRET_FILES}`,
      "i",
    ),
  },
  {
    what: "wants something sent to an address",
    pattern:
      /\b(?:send|upload|forward|transmit|exfiltrate|leak)\b(?!\s+(?:an?\s+|the\s+)?(?:\w+\s+){0,2}requests?\b)[^.!?\n]{0,80}?\bto\s+[`'"<]?https?:\/\//i,
  },
  {
    what: "has a long encoded text",
    pattern: /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{201,}/g,
    // A row of dashes, or of one letter, says nothing.
    holds: (found) => /[a-z]/.test(found) && /[A-Z]/.test(found) && /[0-9]/.test(found),
  },
];

/** The end of a line within a sentence: neither an empty line nor an item of a list follows. */
const WRAP = /\n(?=[ \t]*[^\s\-*•#\d])/g;

/** Where a text speaks to the model, and how; undefined where it does not. */
export function findInstruction(written: string): { readonly what: string; readonly at: number } | undefined {
  const text = written.replace(WRAP, " ");
  for (const { what, pattern, holds } of RULES) {
    const found =
      holds === undefined ? pattern.exec(text) : text.matchAll(pattern).find(([match]) => holds(match));
    if (found) return { what, at: found.index };
  }
  return undefined;
}

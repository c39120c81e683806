/** Credentials in a text that look as if they worked: known shapes, and not the placeholders of an example. */

interface Shape {
  readonly what: string;
  readonly pattern: RegExp;
}

const SHAPES: readonly Shape[] = [
  { what: "an AWS access key", pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  {
    what: "a GitHub token",
    pattern: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{50,255})/g,
  },
  { what: "a GitLab token", pattern: /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,64}/g },
  {
    what: "a model provider's key",
    pattern: /(?<![A-Za-z0-9])sk-(?:ant-|proj-|svcacct-|or-v1-)?[A-Za-z0-9_-]{20,255}/g,
  },
  { what: "a Stripe key", pattern: /(?<![A-Za-z0-9])[sr]k_live_[A-Za-z0-9]{16,255}/g },
  { what: "a Slack token", pattern: /(?<![A-Za-z0-9])xox[abeprs]-[A-Za-z0-9-]{10,255}/g },
  {
    what: "a Slack webhook",
    pattern: /hooks\.slack\.com\/services\/T[A-Za-z0-9]{6,12}\/B[A-Za-z0-9]{6,12}\/[A-Za-z0-9]{16,32}/g,
  },
  { what: "a Google key", pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g },
  { what: "an npm token", pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/g },
  { what: "a Hugging Face token", pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,64}(?![A-Za-z0-9])/g },
  { what: "a SendGrid key", pattern: /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}/g },
  { what: "a Telegram token", pattern: /(?<![A-Za-z0-9])\d{8,10}:AA[A-Za-z0-9_-]{32,36}(?![A-Za-z0-9_-])/g },
  {
    what: "a JSON Web Token",
    pattern: /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{20,1000}/g,
  },
  {
    what: "a private key",
    pattern:
      /-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\n|\s){1,4}[A-Za-z0-9+/=:\s\\,-]{40,8000}/g,
  },
  {
    what: "a password in an address",
    pattern:
      /\b(?:postgres(?:ql)?|mysql|mongodb(?:\+srv)?|redis|amqps?|https?|ftp|mssql|smtp):\/\/[A-Za-z0-9._-]{1,64}:[^\s:@/"'<>]{6,128}@[A-Za-z0-9.-]{3,128}/g,
  },
  {
    what: "a secret",
    pattern:
      /\b(?:api[_-]?key|access[_-]?token|auth[_-]?token|secret(?:[_-]?(?:access[_-]?)?key)?|client[_-]?secret|password|passwd|bearer|token)\b["']?\s{0,3}(?:[:=]|is)\s{0,3}["'`]?(?:Bearer\s)?[A-Za-z0-9+/_.~-]{20,255}/gi,
  },
];

/** The well-known examples of documentation, and what nobody takes for real. */
const PLACEHOLDER =
  /example|sample|placeholder|changeme|change[_-]me|your[_-]|[_-]your|yourtoken|yourkey|<|>|\{|\}|\.\.\.|…|dummy|fake|redacted|test[_-]?key|xxxx|XXXX|\*{3}|0{6}|1234567|deadbeef|foobar|insert|replace|my[_-](?:secret|key|token|password|api)|(.)\1{5}|hunter2|user:pass(?:word)?@|password@|:secret@|localhost|SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c|EXAMPLEKEY|not-?a-?real|demo/i;

export interface LiveSecret {
  readonly what: string;
  readonly at: number;
  readonly length: number;
}

/** Every text with one of the shapes has one of these. */
const HINT =
  /AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|sk-|k_live_|xox|hooks\.slack|AIza|npm_|hf_|SG\.|:AA|eyJ|PRIVATE KEY|:\/\/[^\s/]{1,64}:|key|token|secret|passw|bearer/i;

export function findLiveSecret(text: string): LiveSecret | undefined {
  if (!HINT.test(text)) return undefined;
  for (const { what, pattern } of SHAPES) {
    for (const { 0: found, index: at } of text.matchAll(pattern))
      if (
        !isOfStandard(text, at) &&
        !PLACEHOLDER.test(found) &&
        !/abcdef|ABCDEF/.test(found) &&
        isRandom(valueOf(found))
      )
        return { what, at, length: found.length };
  }
  return undefined;
}

/** "The example of RFC 7519: …" */
function isOfStandard(text: string, at: number): boolean {
  return /\b(?:RFC ?\d{3,5}|jwt\.io)\b[^\n]{0,30}$/i.test(text.slice(Math.max(0, at - 60), at));
}

/** Without the name that the shape begins with. */
function valueOf(found: string): string {
  return /[A-Za-z0-9+/_.~-]{10,}$/.exec(found.slice(-80))?.[0] ?? found;
}

const DISTINCT_SHARE_MIN = 0.3;

/** Letters and digits without a pattern: many different ones, and not a word of a language. */
function isRandom(value: string): boolean {
  const tail = value.slice(-60);
  const isMixed = /[0-9]/.test(tail) && /[A-Za-z]/.test(tail);
  return isMixed && new Set(tail).size >= Math.min(10, tail.length * DISTINCT_SHARE_MIN + 4);
}

/**
 * What the compiler says, as complaints about the guest's code.
 *
 * Only a required argument that is surely missing is an error, because an error refuses the run: the kind of diagnostic,
 * its place inside a tool's call, and a value that is written out where it is passed. An object that is filled in other
 * places, or that comes from elsewhere, may well hold at run time what its type does not say, so that is a warning.
 * Everything is decided by codes, places and the code itself, never by the text of a message.
 */
import type { Diagnostic } from "./compiler-project.ts";
import { cut } from "../../text/cut.ts";

export interface ToolCallPlace {
  readonly calleeStart: number;
  readonly calleeEnd: number;
  readonly argumentsStart: number;
  readonly argumentsEnd: number;
  readonly signature: string;
}

export interface TypeComplaint {
  readonly severity: "error" | "warning";
  readonly code: number;
  readonly line: number;
  readonly column: number;
  /** The offending text. */
  readonly text: string;
  readonly message: string;
  /** Of the tool whose call it is in. */
  readonly signature?: string;
}

/** More are not read. */
const COMPLAINTS_MAX = 20;
/** Hostile code can give tens of thousands, and each is looked up in the code. */
const DIAGNOSTICS_MAX = 200;
const TEXT_LENGTH_MAX = 200;
const MESSAGE_LENGTH_MAX = 600;

const ARGUMENT_COUNT: ReadonlySet<number> = new Set([2554, 2555]);
const PROPERTY_MISSING: ReadonlySet<number> = new Set([2739, 2740, 2741]);
const NOT_ASSIGNABLE: ReadonlySet<number> = new Set([2322, 2345]);
const NO_SUCH_PROPERTY = 2339;
/** A name that is not known, most of them with advice to install types that would be wrong here. */
const NO_SUCH_NAME: ReadonlySet<number> = new Set([
  2304, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2867, 2868,
]);
const NOISE: ReadonlySet<number> = new Set([
  // declared twice
  2300, 2393, 2403, 2451,
  // may be null or undefined, or is of unknown type
  2454, 2531, 2532, 2533, 2571, 18046, 18047, 18048, 18049, 18050,
  // arithmetic on dates and numeric text
  2362, 2363,
  // an expression without effect, or always true
  2695, 2869, 2871, 2872, 2873, 2881,
]);

export function complaintsOf(
  diagnostics: readonly Diagnostic[],
  checked: string,
  calls: readonly ToolCallPlace[],
): readonly TypeComplaint[] {
  const added = addedProperties(diagnostics, checked);
  const useful = diagnostics
    .filter(({ code }) => !isNoise(code))
    .toSorted((a, b) => a.pos - b.pos)
    .slice(0, DIAGNOSTICS_MAX)
    .filter((diagnostic) => isUseful(diagnostic, checked, calls, added))
    .map((diagnostic) => complaintOf(diagnostic, checked, calls));
  const { error = [], warning = [] } = Object.groupBy(useful, ({ severity }) => severity);
  return [...error, ...warning].slice(0, COMPLAINTS_MAX);
}

function complaintOf(
  diagnostic: Diagnostic,
  checked: string,
  calls: readonly ToolCallPlace[],
): TypeComplaint {
  const call = callAround(diagnostic, calls);
  const isError = call !== undefined && isMissingArgument(diagnostic, call, checked);
  return {
    severity: isError ? "error" : "warning",
    code: diagnostic.code,
    ...placeOf(diagnostic.pos, checked),
    text: cut(checked.slice(diagnostic.pos, diagnostic.end), TEXT_LENGTH_MAX),
    message: cut(messageOf(diagnostic, checked), MESSAGE_LENGTH_MAX),
    signature: call?.signature,
  };
}

// ── which ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function isUseful(
  diagnostic: Diagnostic,
  checked: string,
  calls: readonly ToolCallPlace[],
  added: ReadonlySet<string>,
): boolean {
  const { code } = diagnostic;
  if (code === NO_SUCH_PROPERTY) return !added.has(checked.slice(diagnostic.pos, diagnostic.end));
  // A function of the guest's own may be called with fewer arguments, as anywhere in JavaScript.
  if (!ARGUMENT_COUNT.has(code)) return true;
  const call = callAround(diagnostic, calls);
  return call !== undefined && (isAtCallee(diagnostic, call) || isDirect(diagnostic, call, checked));
}

/** The 7000s are about types that are only implied, and about code that is not reached. */
function isNoise(code: number): boolean {
  return NOISE.has(code) || (code >= 7000 && code < 8000);
}

/** An object that gets its properties one by one is ordinary JavaScript, and so is reading them afterwards. */
function addedProperties(diagnostics: readonly Diagnostic[], checked: string): ReadonlySet<string> {
  const assigned = diagnostics.filter(
    ({ code, end }) =>
      code === NO_SUCH_PROPERTY && /^\s*(?:\?\?|\|\||&&)?=(?![=>])/.test(checked.slice(end, end + 100)),
  );
  return new Set(assigned.map(({ pos, end }) => checked.slice(pos, end)));
}

// ── how bad ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function isMissingArgument(diagnostic: Diagnostic, call: ToolCallPlace, checked: string): boolean {
  if (ARGUMENT_COUNT.has(diagnostic.code)) return isAtCallee(diagnostic, call);
  const isMissing =
    PROPERTY_MISSING.has(diagnostic.code) ||
    (NOT_ASSIGNABLE.has(diagnostic.code) && chainHasMissing(diagnostic));
  return isMissing && isDirect(diagnostic, call, checked) && isWrittenOut(diagnostic, call, checked);
}

function chainHasMissing({ messageChain = [] }: Diagnostic): boolean {
  return messageChain.some((link) => PROPERTY_MISSING.has(link.code) || chainHasMissing(link));
}

/** The innermost call that holds the place. */
function callAround({ pos, end }: Diagnostic, calls: readonly ToolCallPlace[]): ToolCallPlace | undefined {
  let found: ToolCallPlace | undefined;
  for (const call of calls) {
    const isInside = pos >= call.calleeStart && end <= call.argumentsEnd;
    if (isInside && (found === undefined || call.calleeStart >= found.calleeStart)) found = call;
  }
  return found;
}

/** Too few arguments are reported at the callee, too many at the first that is too much. */
function isAtCallee({ pos, end }: Diagnostic, call: ToolCallPlace): boolean {
  return pos >= call.calleeStart && end <= call.calleeEnd;
}

/** In the tool's own arguments, not in those of another call between them. */
function isDirect({ pos }: Diagnostic, call: ToolCallPlace, checked: string): boolean {
  const before = checked.slice(call.argumentsStart, pos).replace(/^\s*\(/, "");
  const bare = before.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/gs, "");
  return bare.split("(").length <= bare.split(")").length;
}

/** The value is an object literal with all its keys, in the call or in a variable that nothing else touches. */
function isWrittenOut({ pos, end }: Diagnostic, call: ToolCallPlace, checked: string): boolean {
  const text = checked.slice(pos, end);
  if (text.startsWith("{")) return hasPlainKeys(text);
  // The place of a nested object is the name of its property.
  const after = checked.slice(end, call.argumentsEnd);
  if (/^\s*:\s*\{/.test(after)) return hasPlainKeys(after);
  return /^[\w$]+$/.test(text) && isUntouchedLiteral(text, pos, checked);
}

function isUntouchedLiteral(name: string, pos: number, checked: string): boolean {
  const escaped = name.replaceAll("$", String.raw`\$`);
  const uses = checked.match(new RegExp(String.raw`(?<![\w$])${escaped}(?![\w$])`, "g"))?.length;
  const declared = new RegExp(String.raw`\b(?:const|let|var)\s+${escaped}\s*=\s*\{`).exec(checked)?.index;
  return uses === 2 && declared !== undefined && declared < pos && hasPlainKeys(checked.slice(declared, pos));
}

/** No spread and no computed key, either of which could bring any property. */
function hasPlainKeys(text: string): boolean {
  return !text.includes("...") && !/[{,]\s*\[/.test(text);
}

// ── in words ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The guest's line and column, both from 1: the wrapper takes the first line. */
function placeOf(pos: number, checked: string): { line: number; column: number } {
  const lines = checked.slice(0, pos).split(/\r\n|[\n\r\u2028\u2029]/);
  return { line: Math.max(1, lines.length - 1), column: lines.at(-1)!.length + 1 };
}

function messageOf(diagnostic: Diagnostic, checked: string): string {
  if (!NO_SUCH_NAME.has(diagnostic.code)) return chainText(diagnostic, "");
  const name = checked.slice(diagnostic.pos, diagnostic.end);
  return `Cannot find name '${name}'. Code sees args, mcp, console and standard JavaScript.`;
}

function chainText({ text, messageChain = [] }: Diagnostic, margin: string): string {
  return [`${margin}${text}`, ...messageChain.map((link) => chainText(link, `${margin}  `))].join("\n");
}

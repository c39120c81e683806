/**
 * Admission: checks what a source offers, once, before any other room sees it.
 *
 * A bad entry is left out with its reason, and so is a bad field of a good entry; the other entries are admitted. What
 * is admitted is bounded in number, size and depth, is plain JSON, and is the very object that the source gave if
 * nothing had to be repaired. Invisible characters in texts are written out. Admitting the same entries again changes
 * nothing, so a cached list takes the same way.
 */
import { messageOf } from "../core/errors.ts";
import { findJsonProblem, hashText, type JsonLimits, type JsonObject, isJsonObject } from "../core/json.ts";
import type { Offer, SourceAbout, ToolDefinition } from "../core/tool.ts";
import { cut } from "../text/cut.ts";
import { checkPrompt, checkResource, checkResourceTemplate, checkTool, type Verdict } from "./entry-check.ts";
import { entryNameOf, type EntryKind } from "./entry-reading.ts";
import { checkSkill } from "./skill-check.ts";
import type { EntryFinding } from "./findings.ts";
import { measureJson, type MeasureLimits } from "./json-measure.ts";

type RejectionCode =
  | "invalid_tool"
  | "suspicious_tool"
  | "invalid_resource"
  | "invalid_skill"
  | "validation_error"
  | "load_error"
  | "cache_error";

/** Something that was left out, an entry or a field of one, and why. */
export interface Rejection {
  readonly code: RejectionCode;
  /** Of the entry; `list` where it is about all entries of a list. */
  readonly kind: EntryKind | "list";
  readonly name: string;
  readonly reason: string;
}

export interface Admitted {
  readonly about?: SourceAbout;
  readonly self?: AdmittedSelf;
  readonly tools: readonly ToolDefinition[];
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  /** Absent where the source has not said that it serves any. */
  readonly skills?: readonly JsonObject[];
  readonly rejected: readonly Rejection[];
  /** What the texts of those that came in had to be cleared of. It is seen only once: afterwards they are clear. */
  readonly findings: readonly EntryFinding[];
}

/**
 * Real servers have up to 100 tools, and a client that is shown thousands cannot use any of them: of an MCP server the first 1,000
 * are asked for (upstream/connection/listing.ts). The description of a large API has more, which are found by searching.
 */
export const ENTRY_COUNT_MAX = {
  tools: 2000,
  resources: 5000,
  resourceTemplates: 1000,
  prompts: 1000,
  skills: 1000,
} as const;
/** Two schemas of 256 KiB and room beside them. Depth 48 leaves room in the 64 levels that are kept on disk. */
const ENTRY_LIMITS: MeasureLimits = { bytesMax: 640 * 1024, depthMax: 48, valueCountMax: 50_000 };
/** Nothing but the kind of its values is left to check of an entry whose size is known. */
const ANY_SIZE: JsonLimits = { depthMax: 64, keyCountMax: Infinity, bytesMax: Infinity };
/**
 * All entries of one server together, those that are refused too: what is looked at costs everybody else time, whether
 * it comes in or not. 29 real servers together have 0.6 MiB.
 */
export const SERVER_BYTES_MAX = 4 * 1024 * 1024;

const TOO_LARGE_IN_ALL = `what the server lists is larger than ${SERVER_BYTES_MAX} bytes; this and what follows is left out`;

type Kind = keyof typeof ENTRY_COUNT_MAX;

const CODES: Readonly<Record<Kind, RejectionCode>> = {
  tools: "invalid_tool",
  resources: "invalid_resource",
  resourceTemplates: "invalid_resource",
  prompts: "validation_error",
  skills: "invalid_skill",
};

const KINDS: Readonly<Record<Kind, EntryKind>> = {
  tools: "tool",
  resources: "resource",
  resourceTemplates: "resource template",
  prompts: "prompt",
  skills: "skill",
};

/** What is left of the server's allowance, and what was seen so far. */
interface AdmissionProgress {
  bytesLeft: number;
  readonly rejected: Rejection[];
  readonly findings: EntryFinding[];
}

export function admitOffer(offer: Offer): Admitted {
  const rejected: Rejection[] = (offer.incomplete ?? [])
    .slice(0, 20)
    .map((reason) => ({ code: "load_error", kind: "list", name: "list", reason: cut(reason, 500) }));
  rejected.push(...(offer.leftOut ?? []).slice(0, LEFT_OUT_COUNT_MAX).map(leftOutOf));
  const progress: AdmissionProgress = { bytesLeft: SERVER_BYTES_MAX, rejected, findings: [] };
  return {
    ...aboutOf(offer.about),
    ...(offer.self !== undefined && { self: admitSelf(offer.self) }),
    tools: admitEntries("tools", offer.tools, CHECKS.tools, progress),
    resources: admitEntries("resources", offer.resources, CHECKS.resources, progress),
    resourceTemplates: admitEntries(
      "resourceTemplates",
      offer.resourceTemplates,
      CHECKS.resourceTemplates,
      progress,
    ),
    prompts: admitEntries("prompts", offer.prompts, CHECKS.prompts, progress),
    ...(offer.skills !== undefined && {
      skills: admitEntries("skills", offer.skills, CHECKS.skills, progress),
    }),
    rejected,
    findings: progress.findings,
  };
}

/** As many as are read; the source says how many there are. */
const LEFT_OUT_COUNT_MAX = 500;

function leftOutOf({ name, reason }: { readonly name: string; readonly reason: string }): Rejection {
  return { code: "invalid_tool", kind: "tool", name: cut(name, 80), reason: cut(reason, 500) };
}

function admitEntries<T>(
  kind: Kind,
  entries: unknown,
  check: (entry: JsonObject) => Verdict<T>,
  progress: AdmissionProgress,
): T[] {
  const { rejected, findings } = progress;
  if (entries === undefined || entries === null) return [];
  if (!Array.isArray(entries)) {
    rejected.push({ code: "load_error", kind: "list", name: kind, reason: `${kind} is not a list` });
    return [];
  }
  const max = ENTRY_COUNT_MAX[kind];
  if (entries.length > max) {
    const reason = `the server lists ${entries.length} ${kind}; the limit is ${max}, and those after it are left out`;
    rejected.push({ code: "validation_error", kind: "list", name: kind, reason });
  }
  const admitted: T[] = [];
  for (const [at, entry] of (entries.slice(0, max) as unknown[]).entries()) {
    const verdict = judge(entry, check, progress);
    if (verdict.kind === "refused") {
      rejected.push(rejectionOf(kind, entry, verdict.reason, at));
      continue;
    }
    admitted.push(verdict.entry);
    for (const problem of verdict.drops) rejected.push(droppedField(kind, entry, problem));
    for (const note of verdict.notes) {
      findings.push({ ...note, kind: KINDS[kind], tool: entryNameOf(KINDS[kind], entry as JsonObject) });
    }
  }
  return admitted;
}

const CHECKS = {
  tools: checkTool,
  resources: checkResource,
  resourceTemplates: checkResourceTemplate,
  prompts: checkPrompt,
  skills: checkSkill,
} as const;

/** One entry by itself, for a gateway that passes pages on as they come. */
export function admitEntry(kind: Kind, entry: unknown): Verdict<JsonObject> {
  const check = CHECKS[kind] as (entry: JsonObject) => Verdict<JsonObject>;
  return judge(entry, check, { bytesLeft: SERVER_BYTES_MAX });
}

/**
 * What is told of an entry that was left out. One without a name is called by its place in the list, where that is
 * known.
 */
export function rejectionOf(kind: Kind, entry: unknown, reason: string, at?: number): Rejection {
  const place = at === undefined ? NO_NAME : `${kind}[${at}]`;
  return { code: CODES[kind], kind: KINDS[kind], name: labelOf(entry) ?? place, reason };
}

/**
 * What is told of an entry that came in without a field. `problem` begins with the way to it: `.icons must be a list`.
 */
export function droppedField(kind: Kind, entry: unknown, problem: string): Rejection {
  const reason = `it is listed without a field: ${problem.slice(1)}`;
  return { code: "validation_error", kind: KINDS[kind], name: labelOf(entry) ?? NO_NAME, reason };
}

/** What a server says of itself, as far as pins are compared with it. */
export interface AdmittedSelf {
  readonly serverInfo: { readonly name?: string; readonly version?: string };
  readonly instructions?: string;
}

const SELF_LENGTH_MAX = 200;
/** The longest that were seen have 12,000 characters; of longer ones the start is kept, with a hash of them all. */
const INSTRUCTIONS_LENGTH_MAX = 100_000;

/** Admitting the same again changes nothing. */
export function admitSelf(self: unknown): AdmittedSelf {
  const { serverInfo, instructions } = isJsonObject(self) ? self : {};
  const { name, version } = isJsonObject(serverInfo) ? serverInfo : {};
  return {
    serverInfo: {
      ...(typeof name === "string" && { name: name.slice(0, SELF_LENGTH_MAX) }),
      ...(typeof version === "string" && { version: version.slice(0, SELF_LENGTH_MAX) }),
    },
    ...(typeof instructions === "string" && { instructions: boundInstructions(instructions) }),
  };
}

function boundInstructions(text: string): string {
  if (text.length <= INSTRUCTIONS_LENGTH_MAX) return text;
  const end = ` [sha256 of all ${hashText(text)}]`;
  return cut(text, INSTRUCTIONS_LENGTH_MAX - end.length) + end;
}

const ABOUT_LENGTH_MAX = 2_000;

/** It is searched and never shown. */
function aboutOf(about: unknown): { about?: SourceAbout } {
  if (!isJsonObject(about)) return {};
  const { title, description } = about;
  return {
    about: {
      ...(typeof title === "string" && { title: title.slice(0, ABOUT_LENGTH_MAX) }),
      ...(typeof description === "string" && { description: description.slice(0, ABOUT_LENGTH_MAX) }),
    },
  };
}

function judge<T>(
  entry: unknown,
  check: (entry: JsonObject) => Verdict<T>,
  allowance: Pick<AdmissionProgress, "bytesLeft">,
): Verdict<T> {
  try {
    if (allowance.bytesLeft < 0) return { kind: "refused", reason: TOO_LARGE_IN_ALL };
    if (!isJsonObject(entry)) return { kind: "refused", reason: "it is not an object" };
    const measure = measureJson(entry, ENTRY_LIMITS);
    allowance.bytesLeft -= measure.bytes;
    if (allowance.bytesLeft < 0) return { kind: "refused", reason: TOO_LARGE_IN_ALL };
    if (measure.kind === "beyond")
      return { kind: "refused", reason: explainSize(entry, check, measure.problem) };
    const problem = findJsonProblem(entry, ANY_SIZE);
    if (problem !== undefined) return { kind: "refused", reason: `it is not JSON: ${problem}` };
    return check(entry);
  } catch (error) {
    // Only an object that is no JSON (a getter that throws, a proxy) comes here.
    return { kind: "refused", reason: `it cannot be read: ${cut(messageOf(error), 200)}` };
  }
}

/** The check knows which part is too large, where it is one with a limit of its own. */
function explainSize<T>(
  entry: JsonObject,
  check: (entry: JsonObject) => Verdict<T>,
  problem: string,
): string {
  const verdict = check(entry);
  return verdict.kind === "refused" ? verdict.reason : `it ${problem}`;
}

const NO_NAME = "(no name)";

/** How a rejected entry is called in reports. */
function labelOf(entry: unknown): string | undefined {
  try {
    const { name, uri, uriTemplate } = entry as Record<string, unknown>;
    const label = [name, uri, uriTemplate].find((text) => typeof text === "string" && text !== "");
    return typeof label === "string" ? label.slice(0, 80) : undefined;
  } catch {
    return undefined;
  }
}

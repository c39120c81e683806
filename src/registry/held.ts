/** What a caller is told of something that is held, and which requests are about such a thing. */
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { Hold } from "../core/pin-check.ts";
import { fail, type ToolResult } from "../core/result.ts";
import { quote } from "../text/quote.ts";
import type { RegisteredSource } from "./registered-source.ts";
import { isFileOf } from "./skill-files.ts";

export interface HeldThing {
  readonly server: string;
  /** As the caller calls it. */
  readonly shown: string;
  /** As the server calls it. */
  readonly name?: string;
}

/** Nothing that the server wrote is in it but the name that the caller gave: what is held must not speak to a model. */
export function refuseHeld({ server, shown, name }: HeldThing, hold: Hold): ToolResult<never> {
  const since = new Date(hold.since).toISOString();
  const why = hold.words.join(", ");
  const what = hold.isOfServer
    ? `${quote(shown)} is held with everything of the server ${quote(server)}, which is not the one that was seen first`
    : hold.isRejected
      ? `${quote(shown)} is held: a person rejected this definition of it`
      : `${quote(shown)} is held until a person approves it`;
  const isNamed = !hold.isOfServer && name !== undefined && PLAIN_NAME.test(name);
  const target = isNamed ? `${server} ${name}` : server;
  return fail("SECURITY_ERROR", `${what}, since ${since}${why === "" ? "" : ` (${why})`}.`, {
    reason: "held",
    tool: shown,
    hint:
      `Do without it for now. A person can look at it with: repertoire pins ${server}, ` +
      `and approve it with: repertoire approve ${target}`,
  });
}

/** A name that cannot say anything; for any other, the person is shown all that is held. */
const PLAIN_NAME = /^[\w.-]{1,64}$/;

/** The thing that a request uses, and whether it is known and held. */
export interface RequestedThing {
  readonly name: string;
  readonly hold: Hold | undefined;
  /** Whether the server lists it, as far as that is needed to use it. */
  readonly isListed: boolean;
}

/** Undefined for a request that uses nothing of the server: a list, a ping. */
export function requestedThing(
  registered: RegisteredSource,
  method: string,
  params: JsonObject,
): RequestedThing | undefined {
  const ref = isJsonObject(params["ref"]) ? params["ref"] : {};
  switch (method) {
    case "tools/call":
      return namedThing(registered, "tool", textOf(params["name"]));
    case "prompts/get":
      return namedThing(registered, "prompt", textOf(params["name"]));
    case "resources/read":
    case "resources/subscribe":
      return resourceThing(registered, textOf(params["uri"]));
    case "skills/get":
      return skillThing(registered, textOf(params["uri"]));
    case "completion/complete":
      return ref["type"] === "ref/prompt"
        ? namedThing(registered, "prompt", textOf(ref["name"]))
        : templateThing(registered, textOf(ref["uri"]));
    default:
      return undefined;
  }
}

function namedThing(
  { holds, list }: RegisteredSource,
  kind: "tool" | "prompt",
  name: string,
): RequestedThing {
  const entries = (kind === "tool" ? list?.admitted.tools : list?.admitted.prompts) ?? [];
  return { name, hold: holds.of(kind, name), isListed: entries.some((entry) => entry["name"] === name) };
}

/** A skill that is not listed may be there all the same; it is judged by what the server answers. */
function skillThing({ holds, list }: RegisteredSource, uri: string): RequestedThing {
  const isListed = list?.admitted.skills?.some((skill) => skill["uri"] === uri) === true;
  return { name: uri, hold: holds.of("skill", uri), isListed };
}

/** A template itself, or something that is read by one. */
function templateThing(registered: RegisteredSource, uri: string): RequestedThing {
  const hold = registered.holds.of("resource template", uri);
  return hold === undefined ? resourceThing(registered, uri) : { name: uri, hold, isListed: true };
}

/** A URI that is listed, or comes from a template that may be used, is read; one that comes only from a held one is not. */
function resourceThing({ holds, list }: RegisteredSource, uri: string): RequestedThing {
  const found = (hold: Hold | undefined): RequestedThing => ({ name: uri, hold, isListed: true });
  if (holds.ofServer !== undefined) return found(holds.ofServer);
  const skills = (list?.admitted.skills ?? []).filter((skill) => isFileOf(skill, uri));
  // A file of two skills may be read where one of them may be used.
  if (skills.length > 0) {
    const skillHolds = skills.map((skill) => holds.of("skill", skill["uri"] as string));
    return found(skillHolds.includes(undefined) ? undefined : skillHolds[0]);
  }
  if (list === undefined || list.admitted.resources.some((resource) => resource["uri"] === uri))
    return found(undefined);
  const templates = list.admitted.resourceTemplates.map((template) => {
    const text = template["uriTemplate"] as string;
    return { text, hold: holds.of("resource template", text) };
  });
  if (templates.some(({ text, hold }) => hold === undefined && matchesTemplate(text, uri)))
    return found(undefined);
  const held = templates.find(({ text, hold }) => hold !== undefined && nearlyMatchesTemplate(text, uri));
  return found(held?.hold);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** As long as an admitted URI may be. A longer one counts as a match. */
const URI_LENGTH_MAX = 8 * 1024;
/** A longer part is compared by its beginning: looking for it costs at most this for each character of the URI. */
const PART_LENGTH_MAX = 64;

/**
 * Whether a URI can come from a template, by the literal parts of the template in their order. Expressions may be
 * anything, so it says yes rather than no.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  if (uri.length > URI_LENGTH_MAX) return true;
  const parts = literalsOf(template);
  const [first = "", ...rest] = parts;
  if (rest.length === 0) return uri === first;
  const last = rest.pop()!;
  if (!uri.startsWith(first) || uri.length < first.length + last.length || !uri.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const start = part.slice(0, PART_LENGTH_MAX);
    at = uri.indexOf(start, at);
    if (at === -1) return false;
    at += start.length;
  }
  return at <= uri.length - last.length;
}

/** The same without regard to case and encoding, which a server may undo before it compares. */
export function nearlyMatchesTemplate(template: string, uri: string): boolean {
  return matchesTemplate(template, uri) || matchesTemplate(fold(template), fold(uri));
}

function literalsOf(template: string): string[] {
  return template.split(/\{[^{}]*\}/);
}

function fold(text: string): string {
  try {
    return decodeURIComponent(text).toLowerCase();
  } catch {
    return text.toLowerCase();
  }
}

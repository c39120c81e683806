/** What a server offers, as pins see it. */
import type { Admitted } from "../admission/admission.ts";
import { entryNameOf, type EntryKind } from "../admission/entry-reading.ts";
import { findGrave, type EntryFinding } from "../admission/findings.ts";
import type { JsonObject } from "../core/json.ts";
import type { OfferedThing, Sighting, ThingFinding } from "../core/pin-check.ts";
import type { PinKind } from "../core/trust-store.ts";
import { cut } from "../text/cut.ts";

/** As long as one line of a reason. */
const EXCERPT_LENGTH_MAX = 160;

/** `identity` is what the config says of the server: its command line or address. */
export function sightingOf(server: string, admitted: Admitted, identity: JsonObject): Sighting {
  const { self, tools, prompts, resourceTemplates, skills = [], rejected, findings } = admitted;
  const things = [
    selfThing("identity", { ...identity, ...(self !== undefined && { serverInfo: self.serverInfo }) }),
    ...(self?.instructions === undefined ? [] : [selfThing("instructions", { text: self.instructions })]),
    ...tools.map((tool) => entryThing("tool", tool as unknown as JsonObject, findings)),
    ...prompts.map((prompt) => entryThing("prompt", prompt, findings)),
    ...resourceTemplates.map((template) => entryThing("resource template", template, findings)),
    ...skills.map(skillThing),
  ];
  return { server, things: firstOfEach(things), isWhole: !rejected.some(({ kind }) => kind === "list") };
}

function selfThing(kind: PinKind, definition: JsonObject): OfferedThing {
  return { kind, name: "", definition, finding: () => tellGrave({ name: kind, ...definition }, []) };
}

function entryThing(
  kind: EntryKind & PinKind,
  definition: JsonObject,
  findings: readonly EntryFinding[],
): OfferedThing {
  const name = entryNameOf(kind, definition);
  const own = () => findings.filter((finding) => finding.kind === kind && finding.tool === name);
  return { kind, name, definition, finding: () => tellGrave(definition, own()) };
}

/** All that is said of a skill is pinned, the digests of its files with it; only its frontmatter has texts. */
function skillThing(definition: JsonObject): OfferedThing {
  const name = entryNameOf("skill", definition);
  return { kind: "skill", name, definition, finding: () => tellGrave(skillTexts(definition), []) };
}

/** What of a skill's entry a model reads. */
export function skillTexts({ uri, frontmatter }: JsonObject): JsonObject {
  return { ...(frontmatter as JsonObject), uri: uri! };
}

/** `findGrave` reads tools; what admission saw of another entry is handed to it as if it were one. */
function tellGrave(definition: JsonObject, own: readonly EntryFinding[]): ThingFinding | undefined {
  const named = definition as JsonObject & { readonly name: string };
  const found = findGrave(
    named,
    own.map((finding) => ({ ...finding, kind: "tool", tool: named.name })),
  );
  if (found === undefined) return undefined;
  const excerpt = cut(JSON.stringify(found.excerpt), EXCERPT_LENGTH_MAX);
  return { code: found.code, text: `${found.message}: ${excerpt}` };
}

/** Of two entries with one name the first counts, as in a listing. */
function firstOfEach(things: readonly OfferedThing[]): OfferedThing[] {
  const first = new Map<string, OfferedThing>();
  for (const thing of things) {
    const key = `${thing.kind} ${thing.name}`;
    if (!first.has(key)) first.set(key, thing);
  }
  return [...first.values()];
}

/**
 * What a call does to the world: read, write or destroy.
 *
 * The config has the first word. What a server says of its own tools may always lower trust; it raises trust only for a
 * server that a person approved, and without a word the tool may destroy, as MCP has it. A capability does the greatest
 * of what it uses now. Nothing here is asked of a server: it works on definitions that are known.
 */
import type { GuardedCall } from "../core/guard.ts";
import type { JsonObject } from "../core/json.ts";
import { CAPABILITIES_ID } from "../core/names.ts";
import { EFFECTS, type CapabilityUses, type Effect } from "../core/rule.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { compilePattern, type Matcher } from "../text/glob.ts";

export interface EffectsDeps {
  /** `tools.effects` of a server: patterns of its own names, in the order in which they are written. */
  readonly configured: (server: string) => Readonly<Record<string, Effect>> | undefined;
  /** Whether a person approved what the server says of its tools. */
  readonly isApproved: (server: string, tool: ToolDefinition) => boolean;
  /** A tool as it is listed now, by exposed name. */
  readonly find: (tool: string) => FoundTool | undefined;
  readonly usesOf: (capability: string) => CapabilityUses | undefined;
  /** Grows when an approval or the config changes: what was found before counts no longer. */
  readonly epoch: () => number;
}

interface FoundTool {
  readonly source: { readonly id: string };
  readonly definition: ToolDefinition;
}

/** An effect, and in words where it is known from. */
interface ExplainedEffect {
  readonly effect: Effect;
  readonly from: string;
}

export interface Effects {
  of(this: void, call: GuardedCall): Effect;
  explain(this: void, call: GuardedCall): ExplainedEffect;
  /**
   * What the config says of a server's tool, else what its server does, approved or not; undefined where neither says
   * anything. A mark for those who choose a tool: nothing is allowed by it.
   */
  said(this: void, server: string, definition: ToolDefinition): Effect | undefined;
}

/** More than any capability uses, all levels taken together; what uses more may do anything. */
const USED_COUNT_MAX = 1_000;

export function createEffects(deps: EffectsDeps): Effects {
  const known = new WeakMap<ToolDefinition, { readonly epoch: number; readonly told: ExplainedEffect }>();

  function ofTool(server: string, name: string, definition: ToolDefinition | undefined): ExplainedEffect {
    if (definition === undefined) return findOfTool(server, name, undefined);
    const epoch = deps.epoch();
    const before = known.get(definition);
    if (before?.epoch === epoch) return before.told;
    const told = findOfTool(server, definition.name, definition);
    known.set(definition, { epoch, told });
    return told;
  }

  function findOfTool(server: string, name: string, definition: ToolDefinition | undefined): ExplainedEffect {
    const isApproved = definition !== undefined && deps.isApproved(server, definition);
    return inConfig(server, name) ?? byAnnotations(definition?.annotations ?? {}, isApproved);
  }

  function inConfig(server: string, name: string): ExplainedEffect | undefined {
    const written = deps.configured(server);
    const found = written && matchersOf(written).find(({ matches }) => matches(name));
    return found && { effect: found.effect, from: `tools.effects of the server ${server} in the config` };
  }

  /** Every tool and node below, each once, so that a cycle ends. */
  function ofCapability(name: string): ExplainedEffect {
    const seen = new Set([name]);
    const waiting = [name];
    let greatest: ExplainedEffect = { effect: "read", from: "nothing that it uses does more" };
    const count = (used: string, effect: Effect): void => {
      if (isMore(effect, greatest.effect)) greatest = { effect, from: `it uses ${used}` };
    };
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const uses = deps.usesOf(next);
      if (uses === undefined || seen.size > USED_COUNT_MAX) return unknownUse(next);
      for (const { type, params } of uses.nodes) count(`the node ${type}`, ofNode(type, params).effect);
      for (const tool of uses.tools) {
        if (seen.has(tool)) continue;
        seen.add(tool);
        const found = deps.find(tool);
        if (found === undefined) return unknownUse(tool);
        if (found.source.id === CAPABILITIES_ID) waiting.push(tool);
        else count(tool, ofTool(found.source.id, tool, found.definition).effect);
      }
    }
    return greatest;
  }

  function explain({ kind, name, source, definition, args }: GuardedCall): ExplainedEffect {
    if (kind === "node") return ofNode(name, args);
    if (kind !== "tool") return { effect: "read", from: `a ${kind} only reads` };
    if (source === CAPABILITIES_ID) return ofCapability(name);
    return ofTool(source ?? "", ownName(name, source), definition);
  }

  function said(server: string, { name, annotations = {} }: ToolDefinition): Effect | undefined {
    const written = inConfig(server, name);
    if (written !== undefined) return written.effect;
    const { readOnlyHint, destructiveHint } = annotations;
    if (readOnlyHint === true) return "read";
    if (destructiveHint === undefined) return undefined;
    return destructiveHint ? "destroy" : "write";
  }

  return { explain, said, of: (call) => explain(call).effect };
}

function isMore(effect: Effect, than: Effect): boolean {
  return EFFECTS.indexOf(effect) > EFFECTS.indexOf(than);
}

function unknownUse(tool: string): ExplainedEffect {
  return { effect: "destroy", from: `it uses ${tool}, of which nothing is known now` };
}

/** Where no definition is known; the server's own name is then the rest of the exposed one. */
function ownName(exposed: string, source: string | undefined): string {
  const prefix = `${source}__`;
  return exposed.startsWith(prefix) ? exposed.slice(prefix.length) : exposed;
}

// ── tools of servers ────────────────────────────────────────────────────────────────────────────────────────────────

interface EffectPattern {
  readonly matches: Matcher;
  readonly effect: Effect;
}

const patterns = new WeakMap<object, readonly EffectPattern[]>();

/** A config never changes, so its patterns are read once. */
function matchersOf(written: Readonly<Record<string, Effect>>): readonly EffectPattern[] {
  const before = patterns.get(written);
  if (before !== undefined) return before;
  const read = Object.entries(written).map(([pattern, effect]) => ({
    matches: compilePattern(pattern),
    effect,
  }));
  patterns.set(written, read);
  return read;
}

function byAnnotations(
  { readOnlyHint, destructiveHint }: NonNullable<ToolDefinition["annotations"]>,
  isApproved: boolean,
): ExplainedEffect {
  const said =
    readOnlyHint === true ? "readOnlyHint" : destructiveHint === false ? "destructiveHint: false" : "";
  if (said === "") {
    const from =
      destructiveHint === true ? "destructiveHint of the server" : "the server does not say otherwise";
    return { effect: "destroy", from };
  }
  if (!isApproved)
    return { effect: "destroy", from: `the server says ${said}, and nobody has approved the server` };
  return {
    effect: readOnlyHint === true ? "read" : "write",
    from: `${said} of the server, which is approved`,
  };
}

// ── built-in nodes ──────────────────────────────────────────────────────────────────────────────────────────────────

const NODE_EFFECTS: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ["read_file", "read"],
  ["write_file", "write"],
  ["shell", "destroy"],
  ["llm", "read"],
  // What they start passes the rules by itself.
  ["code", "read"],
  ["workflow", "read"],
  ["wait", "read"],
  ["approve", "read"],
]);

function ofNode(type: string, params: JsonObject): ExplainedEffect {
  if (type === "http") return ofHttp(params);
  const effect = NODE_EFFECTS.get(type);
  if (effect === undefined) return { effect: "destroy", from: `nothing is known of the node ${type}` };
  return { effect, from: `what the node ${type} does` };
}

const READING_METHODS: ReadonlySet<unknown> = new Set([undefined, "GET", "HEAD"]);

/** A method that is filled in when the node runs may be any. */
function ofHttp({ method }: JsonObject): ExplainedEffect {
  const isReading = READING_METHODS.has(method);
  return {
    effect: isReading ? "read" : "write",
    from: isReading ? "http with GET or HEAD" : "http with its method",
  };
}

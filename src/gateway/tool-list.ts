/**
 * What `tools/list` answers: the meta-tools, and the tools of servers where the exposure says so. A real list has hundreds of KB, and
 * every client asks for it at every start, so the list and its bytes are made once and again only when something in it has
 * changed.
 */
import type { CallContext, ToolDefinition } from "../core/tool.ts";
import type { Component } from "../registry/listing.ts";
import type { Registry } from "../registry/registry.ts";
import { chooseExposure, type Exposure } from "./exposure.ts";
import type { MetaTool } from "./meta-tool.ts";

/** A full list waits so long for servers that were never listed; late ones follow by `list_changed`. */
export const LIST_WAIT_MS = 3_000;

export interface ToolList {
  readonly tools: readonly ToolDefinition[];
  /** The tools as JSON in UTF-8. */
  bytes(): Buffer;
}

export interface ToolListParts {
  readonly registry: Registry;
  readonly metaTools: readonly MetaTool[];
  readonly servers: () => readonly string[];
  readonly exposure: () => Exposure;
}

export function createToolListReader(parts: ToolListParts): (context: CallContext) => Promise<ToolList> {
  const { registry } = parts;
  const upstream = remember((components: readonly Component[]) =>
    components.map(({ name, definition }): ToolDefinition => ({ ...definition, name })),
  );
  const fits = remember((components: readonly Component[]) =>
    chooseExposure("auto", () => upstream(components)),
  );
  const own = remember((servers: string) =>
    parts.metaTools.map((tool) => tool.define(servers === "" ? [] : servers.split(","))),
  );
  const whole = remember((ownTools: readonly ToolDefinition[]) =>
    remember((others: readonly ToolDefinition[]) => listOf([...ownTools, ...others])),
  );
  const none: readonly ToolDefinition[] = [];

  return async (context) => {
    const ownTools = own(parts.servers().join(","));
    const mode = parts.exposure();
    // What `auto` shows is what is known: only a list that was asked for starts servers.
    const { components } =
      mode === "full" ? await registry.discover({ waitMs: LIST_WAIT_MS }, context) : registry.catalogue();
    const isLean = mode === "lean" || (mode === "auto" && fits(components) === "lean");
    return whole(ownTools)(isLean ? none : upstream(components));
  };
}

function listOf(tools: readonly ToolDefinition[]): ToolList {
  let bytes: Buffer | undefined;
  return { tools, bytes: () => (bytes ??= Buffer.from(JSON.stringify(tools))) };
}

/** The last answer is given again for the same question: one that is the same value, or the very same object. */
function remember<Question, Answer>(make: (question: Question) => Answer): (question: Question) => Answer {
  let last: { question: Question; answer: Answer } | undefined;
  return (question) => {
    if (last === undefined || last.question !== question) last = { question, answer: make(question) };
    return last.answer;
  };
}

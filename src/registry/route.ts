/** The way of a call from an exposed name to its source. */
import { messageOf } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Guard } from "../core/guard.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CallContext, Component, ToolAnswer, ToolDefinition, ToolSource } from "../core/tool.ts";
import { viewOf } from "../core/tool-view.ts";
import { declaredHeaders, paramHeadersOf } from "../net/param-headers.ts";
import type { CallWatch } from "../telemetry/call-watch.ts";

/** A tool that was found. After a wait it must be looked up again: its server may be gone, and then a call fails. */
export interface Route {
  /** The exposed name. */
  readonly name: string;
  readonly source: ToolSource;
  /** Its `name` is the one that the source knows. */
  readonly definition: ToolDefinition;
  /** Calls the tool, unless the caller's profile does not show it or its token was revoked. Never throws. */
  call(args: JsonObject, context: CallContext): Promise<ToolResult<ToolAnswer>>;
}

export interface RouteDeps {
  /** Every call passes it; without one, all may be made. */
  readonly guard?: Guard | undefined;
  /** Sees every call. */
  readonly watch?: CallWatch | undefined;
  /**
   * Undefined where the route may be used as it is. Else the route that the name has now, once the server's list is
   * sure, or why there is none.
   */
  readonly verify?: (route: ToolRoute, context: CallContext) => Promise<ToolResult<ToolRoute>> | undefined;
  /** An answer of a source with links that clients can read. */
  readonly exposeAnswer?: (source: string, answer: ToolAnswer) => ToolAnswer;
  /** The answer to a caller whose profile does not show the tool. */
  readonly refuse: (name: string, context: CallContext) => Promise<ToolResult<never>>;
}

export class ToolRoute implements Route {
  readonly name: string;
  readonly source: ToolSource;
  readonly definition: ToolDefinition;
  readonly #deps: RouteDeps;
  /** Known after the first call. */
  #wantsHeaders: boolean | undefined;

  constructor({ name, definition }: Component, source: ToolSource, deps: RouteDeps) {
    this.name = name;
    this.source = source;
    this.definition = definition;
    this.#deps = deps;
  }

  call(args: JsonObject, from: CallContext): Promise<ToolResult<ToolAnswer>> {
    if (isRevoked(from)) return Promise.resolve(revoked());
    if (from.view !== undefined && viewOf(from)?.allows(this.name) === false)
      return this.#deps.refuse(this.name, from);
    const verified = this.#deps.verify?.(this, from);
    if (verified === undefined) return this.#callVerified(args, from);
    return verified.then((now) => (now.success ? now.data.#callVerified(args, from) : now));
  }

  #callVerified(args: JsonObject, from: CallContext): Promise<ToolResult<ToolAnswer>> {
    const { source, definition } = this;
    this.#wantsHeaders ??= declaredHeaders(definition.inputSchema).length > 0;
    const context = this.#wantsHeaders
      ? { ...from, headers: paramHeadersOf(definition.inputSchema, args) }
      : from;
    const { guard } = this.#deps;
    if (guard === undefined) return this.#send(args, context);
    const call = { kind: "tool", name: this.name, source: source.id, definition, args } as const;
    return guard.pass(call, context, (below) => this.#send(args, below));
  }

  #send(args: JsonObject, context: CallContext): Promise<ToolResult<ToolAnswer>> {
    const { source, definition } = this;
    const { watch } = this.#deps;
    if (watch === undefined) return this.#attempt(args, context);
    const called = { server: source.id, method: "tools/call", target: definition.name };
    return watch(called, context, (below) => this.#attempt(args, below));
  }

  /** A source that throws although it must not has failed. */
  async #attempt(args: JsonObject, context: CallContext): Promise<ToolResult<ToolAnswer>> {
    try {
      const result = await this.source.call(this.definition.name, args, context);
      const { exposeAnswer } = this.#deps;
      if (!result.success || exposeAnswer === undefined) return result;
      const answer = exposeAnswer(this.source.id, result.data);
      return answer === result.data ? result : succeed(answer);
    } catch (error) {
      return fail("TOOL_EXECUTION_FAILED", messageOf(error));
    }
  }
}

/** Whether the caller's token was revoked. It also ends a run that goes on after its client has gone. */
export function isRevoked({ principal }: CallContext): boolean {
  return principal?.revoked.aborted === true;
}

export function revoked(): ToolResult<never> {
  return fail("CANCELLED", "The token that started this call has been revoked.");
}

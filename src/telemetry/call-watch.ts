/** Watches the calls that go to servers, to count and trace them. Without a watcher it costs nothing. */
import { CAPABILITIES_ID } from "../core/names.ts";
import type { ToolResult } from "../core/result.ts";
import { endSpan, NO_SPAN, outcomeOf, startRequestSpan, type Outcome, type Telemetry } from "./telemetry.ts";
import type { CallContext } from "../core/tool.ts";

interface WatchedCall {
  /** The id of the source. */
  readonly server: string;
  readonly method: string;
  /** The tool or prompt, by the source's own name. */
  readonly target?: string | undefined;
}

/** Makes the call, with a context that is its own. It throws only what the call throws. */
export type CallWatch = <T>(
  call: WatchedCall,
  context: CallContext,
  make: (context: CallContext) => Promise<ToolResult<T>>,
) => Promise<ToolResult<T>>;

export type CallObserver = (server: string, method: string, outcome: Outcome, seconds: number) => void;

/** Undefined when calls are not watched. */
export function createCallWatch(telemetry: Telemetry, observe?: CallObserver): CallWatch | undefined {
  if (!telemetry.isOn && observe === undefined) return undefined;
  return async (call, context, make) => {
    const startedAt = performance.now();
    // A capability is no server: what it does is a run, which has a span of its own.
    const span =
      call.server === CAPABILITIES_ID ? NO_SPAN : startRequestSpan(telemetry, "client", call, context.trace);
    const result = await make(span.context === undefined ? context : { ...context, trace: span.context });
    endSpan(span, result);
    observe?.(call.server, call.method, outcomeOf(result), (performance.now() - startedAt) / 1000);
    return result;
  };
}

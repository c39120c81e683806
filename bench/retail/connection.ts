/** What a client hears from a server or a gateway, on raw lines. */
import type { Lines } from "../lines.ts";
import { textOf } from "../tasks/conversation.ts";
import type { Definition as ListedDefinition } from "../tasks/definitions.ts";
import type { Answer } from "../tasks/task.ts";

/** What a model is shown of a tool, and whether it only reads. */
export interface Definition extends ListedDefinition {
  readonly annotations?: { readonly readOnlyHint?: boolean };
}

/** What `execute` and `save_to_library` answer, as far as the bench looks. */
export interface ExecuteAnswer {
  readonly success?: boolean;
  readonly run_id?: string | null;
  readonly outputs?: unknown;
  readonly draft?: string;
  readonly error?: { readonly code: string; readonly reason?: string; readonly message?: string };
  readonly checkpoint?: { readonly uncertain?: readonly UncertainCall[] };
}

/** A call that was under way when its gateway died. */
export interface UncertainCall {
  readonly tool: string;
  readonly args: object;
}

export async function listTools(lines: Lines): Promise<Definition[]> {
  return resultOf<{ tools: Definition[] }>(await lines.request("tools/list")).tools;
}

export async function callTool(lines: Lines, name: string, args: object): Promise<Answer> {
  return resultOf<Answer>(await lines.request("tools/call", { name, arguments: args }));
}

/** Of a gateway's own tool: its answer as text, and read. */
export async function execute(lines: Lines, args: object): Promise<ExecuteAnswer> {
  return readExecute(await callTool(lines, "execute", args));
}

export function readExecute(answer: Answer): ExecuteAnswer {
  return (answer.structuredContent ?? JSON.parse(textOf(answer))) as ExecuteAnswer;
}

/** As code gets it: JSON read, other text as it is. */
export function valueOf(answer: Answer): unknown {
  const text = textOf(answer);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function instructionsOf({ initialized }: Lines): string {
  return resultOf<{ instructions?: string }>(initialized).instructions ?? "";
}

export function resultOf<T>(line: string): T {
  const { result, error } = JSON.parse(line) as { result?: T; error?: { message: string } };
  if (result === undefined) throw new Error(`The server refused: ${error?.message ?? line}`);
  return result;
}

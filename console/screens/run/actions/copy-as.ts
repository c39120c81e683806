/** A run as text to paste: a command, a request, a test. */
import { commandText } from "../../../../src/operator/twins.ts";
import { curlText } from "../../../api/curl-text.ts";
import type { RunHead } from "../run-view.ts";

/** What starts it again: its code, or the name and version that it is saved under. */
export interface Again {
  readonly code?: string;
  readonly name?: string;
  readonly inputs: Record<string, unknown>;
  readonly intent?: string;
}

/** Undefined where there is nothing to start: a single call, a workflow that was never saved, inputs that are too large. */
export function againOf(head: RunHead): Again | undefined {
  const { capability, source, language, inputs, intent } = head;
  const given = isRecord(inputs) && typeof inputs["handle"] !== "string" ? inputs : undefined;
  if (given === undefined) return undefined;
  const rest = { inputs: given, ...(intent !== null && { intent }) };
  if (capability !== undefined) return { name: `${capability.name}@${capability.version}`, ...rest };
  return source === null || language !== "typescript" ? undefined : { code: source, ...rest };
}

export function cliText({ code, name, inputs, intent }: Again): string {
  const given = Object.entries(inputs).flatMap(([key, value]) => ["--input", `${key}=${inputText(value)}`]);
  const told = intent === undefined ? [] : ["--intent", intent];
  const command = commandText(["run", name ?? "-", ...given, ...told]);
  return code === undefined
    ? command
    : `${command} <<'${markOf(code)}'\n${code.replace(/\n?$/, "\n")}${markOf(code)}`;
}

export function curlOf(again: Again, origin?: string): string {
  return curlText("startRun", { body: again }, origin);
}

/** For `vitest` or anything with `it` and `expect`: it opens a gateway on this machine's config and expects what the run answered. */
export function testText(again: Again, { outputs, status }: Pick<RunHead, "outputs" | "status">): string {
  const { code, name, inputs, intent } = again;
  const args = { ...(code === undefined ? { name } : { code }), inputs };
  const isKnown = status === "succeeded" && !(isRecord(outputs) && typeof outputs["handle"] === "string");
  const expected = isKnown
    ? `expect(answer.data).toMatchObject({ success: true, outputs: ${indented(outputs)} });`
    : "expect(answer.data).toMatchObject({ success: true });";
  return `import { createGateway } from "repertoire";
import { expect, it } from "vitest";

it(${JSON.stringify(intent ?? name ?? "runs")}, async () => {
  const gateway = await createGateway();
  try {
    const answer = await gateway.callTool("execute", ${indented(args, 4)});
    if (!answer.success) throw new Error(answer.error.message);
    ${expected}
  } finally {
    await gateway.close();
  }
});
`;
}

function indented(value: unknown, spaces: number = 4): string {
  return JSON.stringify(value ?? null, null, 2).replaceAll("\n", `\n${" ".repeat(spaces)}`);
}

function inputText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A word that is on no line of the code. */
function markOf(code: string): string {
  const lines = new Set(code.split("\n"));
  let mark = "CODE";
  while (lines.has(mark)) mark = `${mark}_`;
  return mark;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

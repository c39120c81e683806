import type { ConfigInput } from "../../../config/config.ts";
import { loadConfig } from "../../../config/load.ts";
import { formatPath } from "../../../config/problem.ts";
import { didYouMean, nearest } from "../../../text/nearest.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { openInputsOf } from "../../../app/app.ts";
import type { Inputs } from "../../../secrets/inputs.ts";
import { storePlaceOf } from "../../store-call.ts";
import { refuse } from "../../app-call.ts";
import { askAtTerminal } from "../../init/ask-inputs.ts";
import { commandLine } from "../../command-line.ts";
import { canAsk, whyNotAsked } from "../../terminal/confirm.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { findValueProblem, VALUE_BYTES_MAX } from "../../../operator/access/input-value.ts";
import { badInputId, viewSet } from "../../../operator/access/inputs.ts";
import { defineCommand } from "../../command.ts";
import { beginDryRun, endDryRun, type DryRunOptions } from "../../dry-run.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { green, isDryRun, note, printJson, printTable } from "../../terminal/terminal.ts";
import { isInputId } from "../../../config/values/expand.ts";
import type { SecretProtection } from "../../../core/secret-store.ts";

const ID_ARGUMENT = { words: "<id>", about: "the ID of ${input:ID}", completes: ["inputs"] } as const;

export const inputCommand = defineCommand({
  name: "input",
  group: "access",
  summary: "Set, list and delete the values of inputs, ${input:ID} in the config",
  help: `The value is typed at the terminal and not shown, or read from stdin. It is never an argument: other programs can read
the arguments of a command, and the shell keeps them in its history. It is stored with the secrets, and running gateways
start the servers that waited for it.`,
  examples: [
    "repertoire input list",
    "repertoire input set github-token",
    "pass show github | repertoire input set github-token",
    "repertoire input forget github-token",
  ],
  commands: [
    defineCommand({
      name: "list",
      summary: "List the inputs: whether a value is stored, what protects it, which servers use it",
      run: list,
    }),
    defineCommand({
      name: "set",
      summary: "Set the value of an input, at the terminal or through stdin",
      arguments: [ID_ARGUMENT],
      // The usual error would print a value that was given by mistake.
      takesExcess: true,
      dryRun: "own",
      run: (options: DryRunOptions, id: string, ...excess: string[]) => {
        if (options.dryRun === true) beginDryRun();
        return excess.length > 0 ? refuse(badArgument(id, options).error, options) : set(id, options);
      },
    }),
    defineCommand({
      name: "forget",
      summary: "Delete the value of an input",
      arguments: [ID_ARGUMENT],
      dryRun: "own",
      run: (options: DryRunOptions, id: string) => {
        if (options.dryRun === true) beginDryRun();
        return forget(id, options);
      },
    }),
  ],
});

async function inputsOf(options: GlobalOptions): Promise<Inputs> {
  return openInputsOf(await storePlaceOf(options));
}

/** The same where the ids are asked for. Of a home they are known without asking the keyring for the values. */
async function knownInputsOf(options: GlobalOptions): Promise<Inputs> {
  const place = await storePlaceOf(options);
  const inputs = openInputsOf(place);
  if (place.store.url !== undefined) await inputs.load();
  return inputs;
}

/** What the config says of its inputs, without their values; nothing where it is not valid. */
function declaredInputs(options: GlobalOptions): readonly ConfigInput[] {
  const loaded = loadConfig({ configPath: options.config, home: options.home, assumeTrusted: true });
  return loaded.ok ? loaded.config.inputs : (loaded.inputs ?? []);
}

// ── list ────────────────────────────────────────────────────────────────────────────────────────────────────────────

async function list(options: GlobalOptions): Promise<number> {
  const views = viewInputs(declaredInputs(options), await knownInputsOf(options));
  if (options.json === true) printJson(views);
  else if (views.length === 0) note("The config uses no inputs, and no values are stored.");
  else {
    const rows = views.map((view) => [
      view.id,
      view.protectedBy ?? (view.hasDefault ? "no, has a default" : "no"),
      [...view.servers, ...view.settings].join(", "),
      view.description ?? "",
    ]);
    printTable([["INPUT", "KEPT", "USED BY", "DESCRIPTION"], ...rows]);
  }
  return EXIT.ok;
}

/** One input, for people: never its value. */
interface InputView {
  readonly id: string;
  readonly description?: string;
  readonly isKept: boolean;
  /** What protects the value that is kept. */
  readonly protectedBy?: SecretProtection;
  readonly hasDefault: boolean;
  readonly servers: readonly string[];
  /** Other places in the config that take it. */
  readonly settings: readonly string[];
}

/** What the config declares or uses, and what is kept though nothing uses it. */
export function viewInputs(
  declared: readonly ConfigInput[],
  inputs: Pick<Inputs, "list" | "protectionOf">,
): InputView[] {
  const byId = new Map(declared.map((input) => [input.id, input]));
  const kept = new Set(inputs.list());
  return [...new Set([...byId.keys(), ...kept])].sort().map((id) => {
    const input = byId.get(id);
    const protectedBy = inputs.protectionOf(id);
    const settings = (input?.paths ?? []).filter((path) => path[0] !== "mcpServers").map(formatPath);
    return {
      id,
      ...(input?.description !== undefined && { description: input.description }),
      isKept: kept.has(id),
      ...(protectedBy !== undefined && { protectedBy }),
      hasDefault: input?.state === "default",
      servers: input?.servers ?? [],
      settings,
    };
  });
}

// ── set and forget ──────────────────────────────────────────────────────────────────────────────────────────────────

const PROTECTORS: Readonly<Record<SecretProtection, string>> = {
  keyring: "the keyring",
  file: "the permissions of its file",
  database: "REPERTOIRE_SECRET_KEY",
};

async function set(id: string, options: GlobalOptions): Promise<number> {
  if (!isInputId(id)) return refuse(badInputId().error, options);
  const declared = declaredInputs(options);
  const input = declared.find((other) => other.id === id);
  const value = await obtainValue(id, input);
  if (!value.success) return refuse(value.error, options);
  const inputs = await inputsOf(options);
  // A dry run does not say what would protect it: only a write shows whether there is a keyring.
  if (!isDryRun()) await inputs.set(id, value.data);
  const protectedBy = isDryRun() ? undefined : inputs.protectionOf(id);
  if (options.json === true) printJson(viewSet(id, protectedBy, input?.servers ?? []));
  else
    note(
      isDryRun()
        ? `${green("kept")} ${id}`
        : `${green("kept")} ${id}, protected by ${PROTECTORS[protectedBy ?? "file"]}`,
    );
  if (options.json !== true && (input === undefined || input.state === "unused"))
    note(adviceOn(id, declared));
  return isDryRun() ? endDryRun(EXIT.ok) : EXIT.ok;
}

async function obtainValue(id: string, input: ConfigInput | undefined): Promise<ToolResult<string>> {
  // Typed values are never shown, whatever the config says of the input.
  const asked = { ...(input ?? unknownInput(id)), isPassword: true };
  if (process.stdin.isTTY && !canAsk()) {
    return fail("TOOL_INVALID_INPUT", `Nothing was changed: ${whyNotAsked()}.`, {
      hint: "Pipe the value in through stdin, or omit --no-input.",
    });
  }
  const value = canAsk() ? await askAtTerminal(asked) : await readPiped(process.stdin);
  if (value === undefined) return fail("CANCELLED", `Interrupted. Nothing was changed.`);
  const problem = findValueProblem(value, input);
  if (problem === undefined) return succeed(value);
  return fail("TOOL_INVALID_INPUT", `The value of ${id} ${problem}.`, {
    hint: canAsk() ? "Nothing was changed." : "The value is read from stdin. Nothing was changed.",
  });
}

function unknownInput(id: string): ConfigInput {
  return {
    id,
    type: "promptString",
    isPassword: true,
    state: "unused",
    isNeeded: false,
    servers: [],
    paths: [],
  };
}

function adviceOn(id: string, declared: readonly ConfigInput[]): string {
  const used = declared.filter((input) => input.paths.length > 0).map((input) => input.id);
  return `The config does not use it yet. Write \${input:${id}} in the config.${didYouMean(nearest(id, used))}`;
}

async function forget(id: string, options: GlobalOptions): Promise<number> {
  if (!isInputId(id)) return refuse(badInputId().error, options);
  const inputs = await knownInputsOf(options);
  const isKept = isDryRun() ? inputs.list().includes(id) : await inputs.forget(id);
  if (!isKept) {
    const near = nearest(id, inputs.list());
    const missing = fail("TOOL_NOT_FOUND", `No value is stored for ${id}.${didYouMean(near)}`, {
      nearest: near,
      hint: `List the stored values: ${commandLine(["input", "list"], options)}`,
    });
    return refuse(missing.error, options);
  }
  if (options.json === true) printJson({ forgotten: id });
  else note(`${green("forgotten")} ${id}`);
  return isDryRun() ? endDryRun(EXIT.ok) : EXIT.ok;
}

function badArgument(id: string, options: GlobalOptions) {
  return fail("TOOL_INVALID_INPUT", "A value cannot be an argument: other programs could read it.", {
    hint: `Nothing was stored. Enter the value with: ${commandLine(["input", "set", isInputId(id) ? id : "ID"], options)}`,
  });
}

/** What a script pipes in, without the line end that it comes with. More than is allowed is read no further. */
export async function readPiped(stream: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const part of stream) {
    const chunk = Buffer.from(part as string);
    chunks.push(chunk);
    byteCount += chunk.length;
    if (byteCount > VALUE_BYTES_MAX + LINE_END_BYTES_MAX) break;
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

const LINE_END_BYTES_MAX = 2;

/** One try of a tool, as it is being written: the same arguments as a form, as JSON and as code. */
import { argsOfCode, argsOfJson, codeOfCall, type JsonObject } from "./written-call.ts";

export type TrialMode = "form" | "json" | "code";

export interface Trial {
  readonly mode: TrialMode;
  /** The last arguments that could be read. */
  readonly args: JsonObject;
  /** What is in the editor; not of a form. */
  readonly text: string;
  /** Why the text cannot be read; then `args` are those before. */
  readonly problem: string | undefined;
}

export type TrialChange =
  | { readonly change: "mode"; readonly mode: TrialMode }
  | { readonly change: "args"; readonly args: JsonObject }
  | { readonly change: "text"; readonly text: string };

export function startTrial(mode: TrialMode, args: JsonObject, target: string): Trial {
  return { mode, args, text: textOf(mode, args, target), problem: undefined };
}

export function changeTrial(trial: Trial, change: TrialChange, target: string): Trial {
  if (change.change === "mode") return startTrial(change.mode, trial.args, target);
  if (change.change === "args") return startTrial(trial.mode, change.args, target);
  const read = trial.mode === "code" ? argsOfCode(target, change.text) : argsOfJson(change.text);
  return read.ok
    ? { ...trial, text: change.text, args: read.args, problem: undefined }
    : { ...trial, text: change.text, problem: read.message };
}

function textOf(mode: TrialMode, args: JsonObject, target: string): string {
  if (mode === "code") return codeOfCall(target, args);
  return mode === "json" ? JSON.stringify(args, null, 2) : "";
}

/** Whether a person confirms first: it may destroy, or nobody knows what it does. */
export function needsConfirmation(effect: string | undefined): boolean {
  return effect !== "read" && effect !== "write";
}

/** What to begin with: defaults and examples of what is required, and nothing else. */
export function firstArguments(schema: JsonObject): JsonObject {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const entries = Object.entries(properties).flatMap(([name, property]) => {
    const value = isObject(property) ? firstValue(property, required.includes(name)) : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function firstValue(property: JsonObject, isRequired: boolean): unknown {
  if (!isRequired) return undefined;
  const { default: usual, const: only, examples } = property;
  return usual ?? only ?? (Array.isArray(examples) ? (examples[0] as unknown) : undefined);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The declared inputs and outputs of a workflow's text. */
import { isJsonObject, type Json } from "../core/json.ts";
import { checkName, checkRootName } from "./declared-name.ts";
import { choiceField, fieldOf, flagField, kindOf, openPart, requiredTextField, textField } from "./part.ts";
import type { Part } from "./part.ts";
import { parseTemplateText, wholeTemplate } from "./template-text.ts";
import { isOfType } from "./value-type.ts";
import { INPUT_COUNT_MAX, INPUT_TYPES, OUTPUT_COUNT_MAX } from "./workflow.ts";
import type { WorkflowInput, WorkflowOutput } from "./workflow.ts";

const INPUT_KEYS = ["type", "required", "default", "description", "sensitive"];
const OUTPUT_KEYS = ["source", "description"];

export function readInputs(top: Part): ReadonlyMap<string, WorkflowInput> {
  return readEach(top, "inputs", INPUT_COUNT_MAX, (name, part) => {
    const isNamed = checkRootName(name, part.path, part.problems, "key");
    const input = readInput(part);
    return isNamed ? input : undefined;
  });
}

export function readOutputs(top: Part): ReadonlyMap<string, WorkflowOutput> {
  return readEach(top, "outputs", OUTPUT_COUNT_MAX, (name, part) => {
    const isNamed = checkName(name, part.path, part.problems, "key");
    const output = readOutput(part);
    return isNamed ? output : undefined;
  });
}

/** All names in the text, also those of wrong fields: a use of one is no misspelling. */
export function namesUnder(top: Part, key: string): readonly string[] {
  const declared = fieldOf(top, key);
  return isJsonObject(declared) ? Object.keys(declared) : [];
}

function readEach<T>(
  top: Part,
  key: "inputs" | "outputs",
  countMax: number,
  read: (name: string, part: Part) => T | undefined,
): ReadonlyMap<string, T> {
  const { problems } = top;
  const declared = fieldOf(top, key) ?? {};
  if (!isJsonObject(declared)) {
    const message = `"${key}" must be an object, and is ${kindOf(declared)}.`;
    problems.add([key], message, `Write {"name": {…}} with an entry for each of the ${key}.`);
    return new Map();
  }
  const entries = Object.entries(declared);
  if (entries.length > countMax) {
    const message = `there are ${entries.length} ${key}; the limit is ${countMax}.`;
    problems.add([key], message, "Gather several in one object, or make two workflows.");
  }
  const found = new Map<string, T>();
  for (const [name, value] of entries.slice(0, countMax)) {
    const keys = key === "inputs" ? INPUT_KEYS : OUTPUT_KEYS;
    const part = openPart(value, [key, name], keys, problems);
    const one = part === undefined ? undefined : read(name, part);
    if (one !== undefined) found.set(name, one);
  }
  return found;
}

function readInput(part: Part): WorkflowInput | undefined {
  if (fieldOf(part, "type") === undefined) {
    const fix = `Add "type": one of ${INPUT_TYPES.join(", ")}.`;
    part.problems.add([...part.path, "type"], '"type" is missing.', fix);
  }
  const type = choiceField(part, "type", INPUT_TYPES);
  const isRequired = flagField(part, "required") ?? true;
  const description = textField(part, "description") ?? "";
  const isSensitive = flagField(part, "sensitive") ?? false;
  if (type === undefined) return undefined;
  const given = fieldOf(part, "default");
  checkDefault(part, type, given);
  if (isSensitive) checkSensitive(part, type, given);
  const kept = given === undefined ? {} : { default: given };
  return { type, isRequired: isRequired && given === undefined, ...kept, description, isSensitive };
}

function checkDefault(part: Part, type: WorkflowInput["type"], given: Json | undefined): void {
  if (given === undefined || type === "any" || isOfType(given, type)) return;
  const message = `the default must be of type ${type}, and is ${kindOf(given)}.`;
  part.problems.add([...part.path, "default"], message, `Write a default of type ${type}, or remove it.`);
}

/** A default would be stored with the workflow, and only a text is asked for without being shown. */
function checkSensitive(part: Part, type: WorkflowInput["type"], given: Json | undefined): void {
  const path = [...part.path, "sensitive"];
  if (type !== "string") {
    const message = `a sensitive input must be of type string, and is of type ${type}.`;
    part.problems.add(path, message, 'Write "type": "string", or remove "sensitive".');
  }
  if (given !== undefined) {
    part.problems.add(path, "a sensitive input cannot have a default.", 'Remove "default" or "sensitive".');
  }
}

function readOutput(part: Part): WorkflowOutput | undefined {
  const source = requiredTextField(part, "source", '"${node.path}"');
  const description = textField(part, "description") ?? "";
  if (source === undefined) return undefined;
  if (!isTemplateOrMalformed(source)) {
    const message = "the source must be one template and nothing else.";
    part.problems.add([...part.path, "source"], message, 'Write it as "${node.path}".');
    return undefined;
  }
  return { source, description };
}

/** What is malformed is told with the other templates. */
export function isTemplateOrMalformed(text: string): boolean {
  return (
    wholeTemplate(text) !== undefined || parseTemplateText(text).some((piece) => piece.kind === "malformed")
  );
}

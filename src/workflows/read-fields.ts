/** The declared inputs and outputs of a workflow's text. */
import { isJsonObject, type Json } from "../core/json.ts";
import { checkName, checkRootName } from "./declared-name.ts";
import {
  choiceField,
  fieldOf,
  flagField,
  kindOf,
  openObject,
  requiredTextField,
  textField,
} from "./object-reader.ts";
import type { ObjectReader } from "./object-reader.ts";
import { parseTemplateText, wholeTemplate } from "./template-text.ts";
import { isOfType } from "./value-type.ts";
import { INPUT_COUNT_MAX, INPUT_TYPES, OUTPUT_COUNT_MAX } from "./workflow.ts";
import type { WorkflowInput, WorkflowOutput } from "./workflow.ts";

const INPUT_KEYS = ["type", "required", "default", "description", "sensitive"];
const OUTPUT_KEYS = ["source", "description"];

export function readInputs(top: ObjectReader): ReadonlyMap<string, WorkflowInput> {
  return readEach(top, "inputs", INPUT_COUNT_MAX, (name, object) => {
    const isNamed = checkRootName(name, object.path, object.problems, "key");
    const input = readInput(object);
    return isNamed ? input : undefined;
  });
}

export function readOutputs(top: ObjectReader): ReadonlyMap<string, WorkflowOutput> {
  return readEach(top, "outputs", OUTPUT_COUNT_MAX, (name, object) => {
    const isNamed = checkName(name, object.path, object.problems, "key");
    const output = readOutput(object);
    return isNamed ? output : undefined;
  });
}

/** All names in the text, also those of wrong fields: a use of one is no misspelling. */
export function namesUnder(top: ObjectReader, key: string): readonly string[] {
  const declared = fieldOf(top, key);
  return isJsonObject(declared) ? Object.keys(declared) : [];
}

function readEach<T>(
  top: ObjectReader,
  key: "inputs" | "outputs",
  countMax: number,
  read: (name: string, object: ObjectReader) => T | undefined,
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
    const object = openObject(value, [key, name], keys, problems);
    const one = object === undefined ? undefined : read(name, object);
    if (one !== undefined) found.set(name, one);
  }
  return found;
}

function readInput(object: ObjectReader): WorkflowInput | undefined {
  if (fieldOf(object, "type") === undefined) {
    const fix = `Add "type": one of ${INPUT_TYPES.join(", ")}.`;
    object.problems.add([...object.path, "type"], '"type" is missing.', fix);
  }
  const type = choiceField(object, "type", INPUT_TYPES);
  const isRequired = flagField(object, "required") ?? true;
  const description = textField(object, "description") ?? "";
  const isSensitive = flagField(object, "sensitive") ?? false;
  if (type === undefined) return undefined;
  const given = fieldOf(object, "default");
  checkDefault(object, type, given);
  if (isSensitive) checkSensitive(object, type, given);
  const kept = given === undefined ? {} : { default: given };
  return { type, isRequired: isRequired && given === undefined, ...kept, description, isSensitive };
}

function checkDefault(object: ObjectReader, type: WorkflowInput["type"], given: Json | undefined): void {
  if (given === undefined || type === "any" || isOfType(given, type)) return;
  const message = `the default must be of type ${type}, and is ${kindOf(given)}.`;
  object.problems.add([...object.path, "default"], message, `Write a default of type ${type}, or remove it.`);
}

/** A default would be stored with the workflow, and only a text is asked for without being shown. */
function checkSensitive(object: ObjectReader, type: WorkflowInput["type"], given: Json | undefined): void {
  const path = [...object.path, "sensitive"];
  if (type !== "string") {
    const message = `a sensitive input must be of type string, and is of type ${type}.`;
    object.problems.add(path, message, 'Write "type": "string", or remove "sensitive".');
  }
  if (given !== undefined) {
    object.problems.add(path, "a sensitive input cannot have a default.", 'Remove "default" or "sensitive".');
  }
}

function readOutput(object: ObjectReader): WorkflowOutput | undefined {
  const source = requiredTextField(object, "source", '"${node.path}"');
  const description = textField(object, "description") ?? "";
  if (source === undefined) return undefined;
  if (!isTemplateOrMalformed(source)) {
    const message = "the source must be one template and nothing else.";
    object.problems.add([...object.path, "source"], message, 'Write it as "${node.path}".');
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

import type { Json } from "../../core/json.ts";
import type { InputOption } from "../../config/config.ts";
import type { InputDeclaration } from "../../config/values/inputs.ts";
import { asObject } from "../../config/entries/server-check.ts";

/** Longer lists are no choice that a person could make. */
const OPTION_COUNT_MAX = 200;
/** A person is not asked a longer question; our config allows 8 KiB. */
const TEXT_LENGTH_MAX = 1000;
const INPUT_ID_LENGTH_MAX = 64;

/** The nearest text that an input can be called by. */
export function inputIdOf(text: string): string {
  const id = text
    .slice(0, 4 * INPUT_ID_LENGTH_MAX)
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, INPUT_ID_LENGTH_MAX)
    .replace(/-+$/, "");
  return id === "" ? "input" : id;
}

/** The id for a text that is not taken yet. */
export function freeInputId(text: string, isTaken: (id: string) => boolean): string {
  const id = inputIdOf(text);
  if (!isTaken(id)) return id;
  for (let number = 2; ; number++) {
    const ending = `_${number}`;
    const candidate = `${id.slice(0, INPUT_ID_LENGTH_MAX - ending.length)}${ending}`;
    if (!isTaken(candidate)) return candidate;
  }
}

/** The declarations in a list of VS Code, by id; anything else is left out. The first of two with one id counts. */
export function readInputDeclarations(list: unknown): Map<string, InputDeclaration> {
  const found = new Map<string, InputDeclaration>();
  for (const item of Array.isArray(list) ? list : []) {
    const declaration = readDeclaration(item);
    if (declaration !== undefined && !found.has(declaration.id)) found.set(declaration.id, declaration);
  }
  return found;
}

function readDeclaration(item: unknown): InputDeclaration | undefined {
  const fields = asObject(item);
  const id = fields?.["id"];
  if (fields === undefined || typeof id !== "string" || id === "") return undefined;
  const options = readOptions(fields["options"]);
  const isPick = fields["type"] === "pickString" && options.length > 0;
  return {
    id: inputIdOf(id),
    type: isPick ? "pickString" : "promptString",
    ...textAt(fields, "description"),
    ...textAt(fields, "default"),
    ...(typeof fields["password"] === "boolean" ? { password: fields["password"] } : {}),
    ...(isPick ? { options } : {}),
  };
}

function textAt(fields: Record<string, unknown>, key: string): Record<string, Json> {
  const text = fields[key];
  return isUsable(text) ? { [key]: text.slice(0, TEXT_LENGTH_MAX) } : {};
}

function isUsable(text: unknown): text is string {
  return typeof text === "string" && text !== "" && !text.includes("\0");
}

/** An option is a text, or an object that shows one text and means another. */
function readOptions(list: unknown): (string | InputOption)[] {
  const options = (Array.isArray(list) ? list : []).flatMap((option: unknown): (string | InputOption)[] => {
    if (isUsable(option)) return [option];
    const { label, value } = asObject(option) ?? {};
    if (!isUsable(value)) return [];
    return [isUsable(label) ? { label, value } : value];
  });
  return options.slice(0, OPTION_COUNT_MAX);
}

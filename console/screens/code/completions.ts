/** What can be written at the cursor, from the gateway's declarations. Names and descriptions are texts of servers. */
import { placeAt, type CodePlace, type WrittenCall } from "./code-place.ts";
import { signatureText, type DeclaredName, type DeclaredTool, type DeclaredTools } from "./declared-tools.ts";
import { literalsOf, membersOf, shortType, typeAt, type TypeMember } from "./declared-type.ts";

export interface CodeOption {
  readonly label: string;
  readonly kind: "namespace" | "function" | "property" | "text";
  /** Beside the label, short. */
  readonly detail?: string;
  /** What it does, for the panel beside the list. */
  readonly doc?: string;
  /** What is written in place of the label. */
  readonly apply?: string;
  /** Where it begins, where it replaces more than the others: a dot, for a name in brackets. */
  readonly from?: number;
  /** Between -99 and 99: required arguments come first, each kind in the order of the schema. */
  readonly rank?: number;
}

export interface CodeOptions {
  readonly from: number;
  readonly options: readonly CodeOption[];
}

/** Longer ones push the list over what is beside the editor; the panel beside it has the whole. */
const DETAIL_LENGTH_MAX = 44;

/** Undefined where nothing of the gateway's can be meant. */
export function optionsAt(before: string, declared: DeclaredTools): CodeOptions | undefined {
  const place = placeAt(before);
  const options = place === undefined ? [] : optionsOf(place, declared);
  return place === undefined || options.length === 0 ? undefined : { from: place.from, options };
}

function optionsOf(place: CodePlace, declared: DeclaredTools): CodeOption[] {
  switch (place.kind) {
    case "namespace":
      return declared.namespaces.map((name) => ({ ...written(name, place.dotAt), kind: "namespace" }));
    case "tool":
      return declared.toolsOf(place.namespace).map((tool) => toolOption(tool, place.dotAt));
    case "key":
      return membersAt(place, declared, "args")
        .filter(({ name }) => !place.given.includes(name))
        .map(keyOption);
    case "answer":
      return membersAt(place, declared, "answer").map(memberOption);
    case "value":
      return valueOptions(place, declared);
  }
}

/** After the dot where it can be; else the brackets take the place of the dot. */
function written(
  { member, exact }: DeclaredName,
  dotAt: number,
): Pick<CodeOption, "label" | "detail" | "apply" | "from"> {
  if (member === undefined) return { label: exact, apply: `[${JSON.stringify(exact)}]`, from: dotAt };
  return { label: member, ...(member !== exact && { detail: exact }) };
}

function toolOption(tool: DeclaredTool, dotAt: number): CodeOption {
  return {
    ...written(tool, dotAt),
    kind: "function",
    detail: cutTo(shortType(tool.args), DETAIL_LENGTH_MAX),
    doc: [signatureText(tool), tool.doc].filter((each) => each !== "").join("\n\n"),
  };
}

function membersAt(
  { namespace, tool, path }: WrittenCall & { readonly path: readonly string[] },
  declared: DeclaredTools,
  side: "args" | "answer",
): TypeMember[] {
  const found = declared.find(namespace, tool);
  const type = found === undefined ? undefined : typeAt(found[side], path);
  return type === undefined ? [] : membersOf(type);
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

function keyOption({ name, type, isOptional, doc }: TypeMember, at: number): CodeOption {
  const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
  return {
    label: name,
    kind: "property",
    detail: `${isOptional ? "?" : ""}: ${cutTo(shortType(type), DETAIL_LENGTH_MAX)}`,
    apply: `${key}: `,
    rank: Math.max(isOptional ? -99 : 50, (isOptional ? 49 : 99) - at),
    ...(doc !== "" && { doc }),
  };
}

function memberOption({ name, type, isOptional, doc }: TypeMember): CodeOption {
  return {
    label: name,
    kind: "property",
    detail: `${isOptional ? "?" : ""}: ${cutTo(shortType(type), DETAIL_LENGTH_MAX)}`,
    ...(doc !== "" && { doc }),
  };
}

function valueOptions(place: Extract<CodePlace, { kind: "value" }>, declared: DeclaredTools): CodeOption[] {
  const { namespace, tool, path, isQuoted } = place;
  const type = typeAt(declared.find(namespace, tool)?.args ?? "", path);
  if (type === undefined) return [];
  const texts = literalsOf(type.replace(/^\(([^()]*)\)\[\]$/, "$1"));
  return texts.map((text) => ({
    label: text,
    kind: "text",
    apply: isQuoted ? JSON.stringify(text).slice(1, -1) : JSON.stringify(text),
  }));
}

function cutTo(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

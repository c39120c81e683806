/** One thing to say when a value fits none of the branches of an `anyOf` or `oneOf`, or too many. */
import type { ErrorObject } from "ajv";
import type { Json, JsonObject } from "../../core/json.ts";
import { toProblem, type ArgumentFinding } from "./finding.ts";
import { pointerParts } from "../../text/json-pointer.ts";
import { listed, notOneOf, typeWords, valueWords } from "./schema-words.ts";

interface Branch {
  readonly schema: Json;
  readonly findings: ArgumentFinding[];
}

/** The findings that are told for all the branches: those of the one that was meant, or one in other words. */
export function explainAlternatives(
  error: ErrorObject,
  inner: readonly ArgumentFinding[],
  args: Json,
  root: JsonObject,
): readonly ArgumentFinding[] {
  if (Array.isArray(error.params["passingSchemas"])) {
    return [
      { error, words: "fits more than one of the allowed forms; give only what belongs to one of them" },
    ];
  }
  const branches = sortIntoBranches(error, inner, root);
  const formCount = branches.length;
  const fitsNone = { error, words: `fits none of the ${formCount} allowed forms` };
  if (branches.some(({ findings }) => findings.length === 0)) return [fitsNone];
  const fitting = branches.filter((branch) => !isOfAnotherKind(branch, error.instancePath));
  if (fitting.length === 0) return [{ error, words: expectedWords(branches, error) }];
  const names = neededNames(fitting, error.instancePath);
  if (fitting.length > 1 && names !== undefined) return [{ error, words: `needs ${names}` }];
  const meant = fitting.length === 1 ? fitting : fitting.filter((branch) => !isOfAnotherName(branch, error));
  if (meant.length === 1) return meant[0]!.findings;
  const choice = meant.length === 0 ? sharedChoice(fitting) : undefined;
  return choice === undefined
    ? [nearestForm(fitsNone, meant.length === 0 ? fitting : meant, args)]
    : [choice];
}

/** Branches are tried in order, so an error that does not tell its branch belongs to the one before it. */
function sortIntoBranches(error: ErrorObject, inner: readonly ArgumentFinding[], root: JsonObject): Branch[] {
  const branches = (error.schema as Json[]).map((schema): Branch => ({ schema, findings: [] }));
  let current = 0;
  for (const finding of inner) {
    current = branchOf(finding.error, error, branches, current, root);
    branches[current]?.findings.push(finding);
  }
  return branches;
}

function branchOf(
  inner: ErrorObject,
  outer: ErrorObject,
  branches: readonly Branch[],
  current: number,
  root: JsonObject,
): number {
  const prefix = `${outer.schemaPath}/`;
  if (inner.schemaPath.startsWith(prefix)) return Number.parseInt(inner.schemaPath.slice(prefix.length), 10);
  const found = branches.findIndex(({ schema }, index) => index >= current && leadsTo(schema, inner, root));
  return found === -1 ? current : found;
}

function leadsTo(schema: Json, inner: ErrorObject, root: JsonObject): boolean {
  const reference = (schema as JsonObject)["$ref"];
  if (typeof reference !== "string") return false;
  return inner.schemaPath.startsWith(`${reference}/`) || follow(root, reference) === inner.parentSchema;
}

function follow(root: JsonObject, reference: string): unknown {
  let value: unknown = root;
  for (const part of pointerParts(reference)) value = (value as JsonObject | undefined)?.[part];
  return value;
}

/** The value has another type, or the branch is a fixed value that it is not. */
function isOfAnotherKind({ findings }: Branch, place: string): boolean {
  return findings.some(
    ({ error, words }) =>
      error.instancePath === place &&
      words === undefined &&
      ["type", "const", "enum"].includes(error.keyword),
  );
}

/** A property that tells the branches apart (`kind: "a"`) has another value. */
function isOfAnotherName({ findings }: Branch, { instancePath }: ErrorObject): boolean {
  return findings.some(({ error }) => isFixedValue(error) && parentOf(error.instancePath) === instancePath);
}

function isFixedValue({ keyword }: ErrorObject): boolean {
  return keyword === "const" || keyword === "enum";
}

function parentOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf("/"));
}

function expectedWords(branches: readonly Branch[], { instancePath, data }: ErrorObject): string {
  const errors = branches.map(
    ({ findings }) => findings.find(({ error }) => error.instancePath === instancePath)!.error,
  );
  if (errors.every(isFixedValue)) return notOneOf(errors.flatMap(allowedValues), data);
  const words = errors.flatMap((error) =>
    isFixedValue(error) ? allowedValues(error).map(valueWords) : [typeWords(error.params["type"])],
  );
  return `must be ${listed(words, " or ")}`;
}

function allowedValues({ keyword, params }: ErrorObject): Json[] {
  return keyword === "const" ? [params["allowedValue"] as Json] : (params["allowedValues"] as Json[]);
}

/** `"url" or "html" and "css"`, when the branches differ only in what they need. */
function neededNames(branches: readonly Branch[], place: string): string | undefined {
  const findings = branches.flatMap((branch) => branch.findings);
  const isNeed = ({ error }: ArgumentFinding) => error.keyword === "required" && error.instancePath === place;
  if (!findings.every(isNeed)) return undefined;
  const needs = branches.map((branch) =>
    listed(
      branch.findings.map(({ error }) => valueWords(String(error.params["missingProperty"]))),
      " and ",
    ),
  );
  return listed(needs, " or ");
}

/** The property that tells the branches apart has a value of none of them. */
function sharedChoice(branches: readonly Branch[]): ArgumentFinding | undefined {
  const errors = branches.map((branch) => branch.findings.find(({ error }) => isFixedValue(error))!.error);
  const [first] = errors;
  if (first === undefined || errors.some(({ instancePath }) => instancePath !== first.instancePath))
    return undefined;
  return { error: first, words: notOneOf(errors.flatMap(allowedValues), first.data) };
}

/** The branch with the least to mend. */
function nearestForm(
  fitsNone: ArgumentFinding & { words: string },
  branches: readonly Branch[],
  args: Json,
): ArgumentFinding {
  const best = [...branches].sort((a, b) => a.findings.length - b.findings.length)[0]!;
  const { path, message } = toProblem(best.findings[0]!, args);
  const where = path === "" ? "it" : path;
  return { ...fitsNone, words: `${fitsNone.words}; for the nearest of them, ${where} ${message}` };
}

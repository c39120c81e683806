/** The parameters of a node against the schema of its type: names, and the types of what has no template. */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { didYouMean } from "../text/nearest.ts";
import { missingFrom, typeText } from "../text/schema-type.ts";
import { SHOWN } from "../text/type-style.ts";
import { cut } from "../text/cut.ts";
import { quote } from "../text/quote.ts";
import { judgeUndeclared, memberSchema, membersOfSchema, type Members } from "./declared-members.ts";
import { listNames } from "./declared-name.ts";
import { kindOf } from "./object-reader.ts";
import type { Path } from "./place.ts";
import type { Problems } from "./problem.ts";
import { fillTemplates } from "./template.ts";
import { isOfType } from "./value-type.ts";
import type { KnownNodeType } from "./node-type.ts";
import type { WorkflowNode } from "./workflow.ts";

/** A longer type is looked up, not read in a sentence. */
const TYPE_LENGTH_MAX = 120;

type Known = Extract<KnownNodeType, { kind: "known" }>;

/** `path` is that of the parameters. */
export function checkParams(node: WorkflowNode, type: Known, path: Path, problems: Problems): void {
  const members = membersOfSchema(type.inputSchema);
  const given = Object.keys(node.params);
  for (const name of missingFrom(type.inputSchema, given)) {
    const fix = `Add ${quote(name)}: ${shownType(memberSchema(members, name))} to its params.`;
    problems.add([...path, name], `${node.type} needs the parameter ${quote(name)}.`, fix);
  }
  checkOneOf(node, type.inputSchema, path, problems);
  for (const name of given.filter((one) => memberSchema(members, one) !== undefined)) {
    const value = literalOf(node.params[name]!, type.rawParams.includes(name));
    const schema = memberSchema(members, name);
    if (isJsonObject(schema)) checkLiteral(value, schema, [...path, name], problems);
  }
  checkUndeclared(node, members, path, problems);
}

/** A declared name that is given too was not meant by another. */
function checkUndeclared(node: WorkflowNode, members: Members, path: Path, problems: Problems): void {
  const declared = Object.keys(members.properties);
  const free = declared.filter((name) => !Object.hasOwn(node.params, name));
  for (const name of Object.keys(node.params)) {
    if (memberSchema(members, name) !== undefined) continue;
    const { isWrong, near } = judgeUndeclared(name, members.isClosed, free, problems);
    if (!isWrong) continue;
    const instead = didYouMean(near) || ` ${node.type} takes ${listNames(declared)}.`;
    const message = `${node.type} has no parameter ${quote(name)}.`;
    problems.add([...path, name], message, `Remove it or correct its name.${instead}`, "key");
  }
}

/** Alternatives that only name what they require, as in "either `ms` or `until`". */
function checkOneOf(node: WorkflowNode, schema: JsonObject, path: Path, problems: Problems): void {
  const alternatives = requiredAlternatives(schema);
  if (alternatives.length === 0) return;
  const names = listNames(alternatives.map((required) => required.join(" with ")));
  const met = alternatives.filter((required) => required.every((name) => Object.hasOwn(node.params, name)));
  if (met.length === 0) {
    problems.add(path, `${node.type} needs one of ${names}.`, `Add one of ${names} to its params.`);
  } else if (met.length > 1) {
    problems.add(path, `${node.type} takes only one of ${names}.`, `Keep one of ${names}.`);
  }
}

function requiredAlternatives(schema: JsonObject): string[][] {
  const { oneOf } = schema;
  if (!Array.isArray(oneOf)) return [];
  const alternatives = (oneOf as readonly Json[]).map((branch) => {
    const required =
      isJsonObject(branch) && Object.keys(branch).length === 1 ? branch["required"] : undefined;
    return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  });
  return alternatives.every((required) => required.length > 0) ? alternatives : [];
}

/** What the tool will be given, where that is known: undefined for a value with templates. */
function literalOf(value: Json, isRaw: boolean): Json | undefined {
  if (isRaw) return value;
  const filled = fillTemplates(value, "", new Map());
  return filled.ok ? filled.value : undefined;
}

function checkLiteral(value: Json | undefined, schema: JsonObject, path: Path, problems: Problems): void {
  if (value === undefined || (value === null && schema["nullable"] === true)) return;
  const types = [schema["type"]].flat().filter((type) => typeof type === "string");
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    const message = `must be of type ${listNames(types)}, and is ${kindOf(value)}.`;
    problems.add(path, message, `Write a value of type ${shownType(schema)}, or a template that gives one.`);
    return;
  }
  const allowed = schema["enum"];
  const isScalar = value === null || typeof value !== "object";
  if (!isScalar || !Array.isArray(allowed) || allowed.includes(value)) return;
  const texts = allowed.filter((one) => typeof one === "string");
  const meant = typeof value === "string" ? didYouMean(problems.near(value, texts)) : "";
  const choices = listNames(allowed.map((one) => JSON.stringify(one)));
  problems.add(path, "is none of the allowed values.", `Write one of ${choices}.${meant}`);
}

function shownType(schema: Json | undefined): string {
  return cut(typeText(schema, SHOWN), TYPE_LENGTH_MAX);
}

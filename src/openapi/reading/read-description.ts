/** A whole description: its operations one by one, so that what is wrong with one costs that one. */
import { messageOf } from "../../core/errors.ts";
import { hashText, isJsonObject, type JsonObject } from "../../core/json.ts";
import type { ToolDefinition } from "../../core/tool.ts";
import { cut } from "../../text/cut.ts";
import type { ApiDescription, CallPlan, LeftOut } from "../api-description.ts";
import {
  BrokenReference,
  createApiDocuments,
  objectOf,
  type ApiDocument,
  type ApiDocuments,
} from "./api-documents.ts";
import {
  LEFT_OUT_COUNT_MAX,
  NAME_LENGTH_MAX,
  OPERATION_COUNT_MAX,
  PATH_COUNT_MAX,
  PATH_LENGTH_MAX,
} from "./limits.ts";
import { METHODS, operationIn, readOperation, type FoundOperation } from "./read-operation.ts";
import { readSchemes, readSecurity } from "./read-security.ts";
import { readServer } from "./read-server.ts";
import { Unusable } from "./unusable.ts";

/** `path` is that of the file; without it, no other file is read. */
export function readDescription(root: JsonObject, path: string | undefined): ApiDescription {
  const documents = createApiDocuments({ root, path });
  const leftOut = createLeftOut();
  const tools: ToolDefinition[] = [];
  const plans = new Map<string, CallPlan>();
  const common = { documents, security: readSecurity(root["security"]) ?? [] };
  let operationCount = 0;
  for (const found of operationsIn(root, documents, (name, reason) => leftOut.add(name, reason))) {
    operationCount++;
    const name = nameOf(found, plans);
    if (tools.length >= OPERATION_COUNT_MAX) {
      leftOut.add(name, `a description has at most ${OPERATION_COUNT_MAX} operations`);
      continue;
    }
    try {
      const { tool, plan } = readOperation({ ...found, name }, common);
      tools.push(tool);
      plans.set(name, plan);
    } catch (error) {
      leftOut.add(name, reasonOf(error));
    }
  }
  return {
    ...wordsOf(root),
    tools,
    plans,
    server: readServer(root["servers"]) ?? "/",
    schemes: readSchemes(root, documents),
    leftOut: leftOut.list,
    incomplete: leftOut.summary(operationCount),
  };
}

function createLeftOut() {
  const list: LeftOut[] = [];
  let count = 0;
  return {
    list,
    add(name: string, reason: string): void {
      count++;
      if (list.length < LEFT_OUT_COUNT_MAX) list.push({ name: cut(name, 80), reason: cut(reason, 300) });
    },
    summary: (operationCount: number): string[] =>
      count > list.length
        ? [
            `${count} of ${operationCount} operations and paths are left out; the first ${list.length} are named`,
          ]
        : [],
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof Unusable || error instanceof BrokenReference) return error.message;
  return `it cannot be read: ${messageOf(error)}`;
}

type AddLeftOut = (name: string, reason: string) => void;

function* operationsIn(
  root: JsonObject,
  documents: ApiDocuments,
  leaveOut: AddLeftOut,
): Generator<FoundOperation> {
  const { paths } = root;
  if (!isJsonObject(paths)) {
    if (paths !== undefined) leaveOut("paths", "the paths are not an object");
    return;
  }
  const all = Object.entries(paths);
  for (const [path, value] of all.slice(0, PATH_COUNT_MAX)) {
    if (path.startsWith("x-")) continue;
    const problem = findPathProblem(path);
    if (problem !== undefined) {
      leaveOut(path, problem);
      continue;
    }
    yield* operationsOf(path, value, documents, leaveOut);
  }
  if (all.length > PATH_COUNT_MAX)
    leaveOut("paths", `there are ${all.length} paths; those after the first ${PATH_COUNT_MAX} are not read`);
}

function findPathProblem(path: string): string | undefined {
  if (!path.startsWith("/")) return 'the path does not begin with "/"';
  if (path.length > PATH_LENGTH_MAX) return `the path is longer than ${PATH_LENGTH_MAX} characters`;
  if (/[?#\\\s\p{Cc}]/u.test(path)) return "the path has a character that no path has";
  const leaves = path.split("/").some((part) => /^(?:\.|%2e){1,2}$/i.test(part));
  return leaves ? "the path leads out of itself" : undefined;
}

function* operationsOf(
  path: string,
  value: unknown,
  documents: ApiDocuments,
  leaveOut: AddLeftOut,
): Generator<FoundOperation> {
  let item: JsonObject;
  let document: ApiDocument;
  try {
    const settled = documents.settle({ value, document: documents.main });
    if (!isJsonObject(settled.value)) throw new Unusable("what the path has is not an object");
    item = objectOf(settled);
    ({ document } = settled);
  } catch (error) {
    leaveOut(path, reasonOf(error));
    return;
  }
  for (const method of METHODS) {
    if (item[method] === undefined) continue;
    const operation = operationIn(item, method);
    if (operation === undefined) leaveOut(`${method} ${path}`, "the operation is not an object");
    else yield { name: "", method, path, item, operation, document };
  }
}

/** Its operationId, or its method and path; of two operations with one name the later gets the latter, or a hash of both. */
function nameOf(
  { operation, method, path }: FoundOperation,
  taken: { readonly has: (name: string) => boolean },
): string {
  const { operationId } = operation;
  const own = typeof operationId === "string" ? operationId.trim() : "";
  if (own !== "" && own.length <= NAME_LENGTH_MAX && !taken.has(own)) return own;
  const words = path.match(/[A-Za-z0-9]+/g) ?? [];
  const described = [method, ...words].join("_").slice(0, NAME_LENGTH_MAX);
  if (!taken.has(described)) return described;
  return `${described}_${hashText(`${method} ${path}`).slice(0, 12)}`;
}

const WORDS_LENGTH_MAX = 2_000;

function wordsOf({ info }: JsonObject): Pick<ApiDescription, "title" | "version" | "about"> {
  const { title, version, description } = isJsonObject(info) ? info : {};
  return {
    ...(typeof title === "string" && { title: cut(title, WORDS_LENGTH_MAX) }),
    ...(typeof version === "string" && { version: cut(version, WORDS_LENGTH_MAX) }),
    ...(typeof description === "string" && { about: cut(description, WORDS_LENGTH_MAX) }),
  };
}

/**
 * An API as its description has it, on the loopback: it takes only requests that the description allows, says of any other what
 * is wrong with it, and answers with the description's own examples. It reads the description by itself, with another validator
 * than the gateway has.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Ajv } from "ajv";
import { onTestFinished } from "vitest";

type Tree = Readonly<Record<string, unknown>>;

interface StandInRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** The path of the description that it fits. */
  readonly path?: string;
  /** What the description does not allow. */
  readonly problems: readonly string[];
}

export interface StandIn {
  readonly origin: string;
  readonly seen: StandInRequest[];
}

const METHODS = new Set(["get", "put", "post", "delete", "patch", "head", "options"]);

export async function standInFor(description: unknown, prefix = ""): Promise<StandIn> {
  const root = loosened(structuredClone(description)) as Tree;
  const ajv = new Ajv({ strict: false, validateSchema: false, logger: false, validateFormats: false });
  ajv.addSchema(root, "api");
  const seen: StandInRequest[] = [];
  const server = createServer((message, response) => {
    const answer = async (): Promise<void> => {
      const body = await readAll(message);
      const url = new URL(message.url ?? "", "http://stand.in");
      const method = (message.method ?? "").toLowerCase();
      const found = findOperation(root, method, url.pathname.slice(prefix.length));
      const asked = { method: method.toUpperCase(), url, headers: message.headers, body };
      const problems =
        found === undefined
          ? [`${method} ${url.pathname} is no operation`]
          : findProblems(root, ajv, found, { url, headers: message.headers, body });
      seen.push({ ...asked, ...(found !== undefined && { path: found.path }), problems });
      if (found === undefined || problems.length > 0) {
        response.writeHead(found === undefined ? 404 : 400, { "content-type": "application/json" });
        response.end(JSON.stringify({ message: "not as described", problems }));
        return;
      }
      const { status, content } = answerOf(root, found.operation);
      if (content === undefined) response.writeHead(status).end();
      else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
    };
    void answer();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/**
 * What the validator does not know of OpenAPI: `nullable` without a type, which no request of the tests needs, and that what is
 * only read is not required of a request.
 */
function loosened(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const tree = value as Record<string, unknown>;
  if (tree["nullable"] === true && typeof tree["type"] !== "string") delete tree["nullable"];
  const { required, properties } = tree;
  if (Array.isArray(required) && typeof properties === "object" && properties !== null) {
    const known = properties as Readonly<Record<string, Tree>>;
    tree["required"] = (required as string[]).filter((name) => known[name]?.["readOnly"] !== true);
  }
  for (const child of Object.values(tree)) loosened(child);
  return value;
}

interface FoundOperation {
  readonly path: string;
  readonly pointer: string;
  readonly operation: Tree;
  readonly parameters: readonly Tree[];
}

function findOperation(root: Tree, method: string, pathname: string): FoundOperation | undefined {
  if (!METHODS.has(method)) return undefined;
  const paths = Object.entries(root["paths"] as Tree);
  // A path without parameters wins over one with.
  const sorted = paths.toSorted(([a], [b]) => countOf(a, "{") - countOf(b, "{"));
  for (const [path, item] of sorted) {
    const operation = (item as Tree)[method] as Tree | undefined;
    if (operation === undefined || !patternOf(path).test(pathname)) continue;
    const lists = [(item as Tree)["parameters"], operation["parameters"]] as (Tree[] | undefined)[];
    const parameters = lists.flatMap((list) => list ?? []).map((parameter) => settle(root, parameter));
    const pointer = `api#/paths/${path.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D")}/${method}`;
    return { path, pointer, operation, parameters };
  }
  return undefined;
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

function patternOf(path: string): RegExp {
  const parts = path.split(/\{[^{}]+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^/]+")}$`);
}

function settle(root: Tree, value: Tree): Tree {
  const reference = value["$ref"];
  if (typeof reference !== "string") return value;
  let target: unknown = root;
  for (const part of reference.split("/").slice(1))
    target = (target as Tree)[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")];
  return settle(root, target as Tree);
}

interface Asked {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

function findProblems(root: Tree, ajv: Ajv, found: FoundOperation, { url, headers, body }: Asked): string[] {
  const inQuery = found.parameters.filter((parameter) => parameter["in"] === "query");
  const names = new Set(inQuery.map((parameter) => parameter["name"]));
  const isDeep = inQuery.some(
    (parameter) => (parameter["schema"] as Tree | undefined)?.["type"] === "object",
  );
  const unknown = [...url.searchParams.keys()].filter((name) => !names.has(name) && !isDeep);
  const missing = found.parameters.filter(
    (parameter) =>
      parameter["required"] === true &&
      ((parameter["in"] === "query" && !url.searchParams.has(String(parameter["name"]))) ||
        (parameter["in"] === "header" && headers[String(parameter["name"]).toLowerCase()] === undefined)),
  );
  const values = inQuery.flatMap((parameter) => {
    const value = url.searchParams.get(String(parameter["name"]));
    const { type } = settle(root, (parameter["schema"] ?? {}) as Tree);
    const isNumber = type === "integer" || type === "number";
    return value !== null && isNumber && !Number.isFinite(Number(value)) ? [`${value} is no number`] : [];
  });
  return [
    ...unknown.map((name) => `the query has ${name}`),
    ...missing.map((parameter) => `${String(parameter["name"])} is missing`),
    ...values,
    ...findBodyProblems(root, ajv, found, headers, body),
  ];
}

function findBodyProblems(
  root: Tree,
  ajv: Ajv,
  { operation, pointer }: FoundOperation,
  headers: Asked["headers"],
  body: Buffer,
): string[] {
  const written = operation["requestBody"] as Tree | undefined;
  if (written === undefined) return body.length === 0 ? [] : ["there is a body"];
  const described = settle(root, written);
  if (body.length === 0) return described["required"] === true ? ["the body is missing"] : [];
  const type = String(headers["content-type"]).split(";")[0]!;
  const content = described["content"] as Tree;
  if (content[type] === undefined) return [`the body is ${type}`];
  if (type !== "application/json") return [];
  const reference = written["$ref"];
  const at = typeof reference === "string" ? `api${reference}` : `${pointer}/requestBody`;
  const check = ajv.compile({ $ref: `${at}/content/application~1json/schema` });
  return check(JSON.parse(body.toString())) ? [] : [`the body: ${ajv.errorsText(check.errors)}`];
}

function answerOf(root: Tree, operation: Tree): { readonly status: number; readonly content?: unknown } {
  const [status, written] = Object.entries(operation["responses"] as Tree).find(([code]) =>
    code.startsWith("2"),
  ) ?? ["200", {}];
  const media = (settle(root, written as Tree)["content"] as Tree | undefined)?.["application/json"] as
    | Tree
    | undefined;
  if (media === undefined) return { status: Number(status) || 200 };
  const [first] = Object.values((media["examples"] ?? {}) as Tree).map(
    (example) => settle(root, example as Tree)["value"],
  );
  return { status: Number(status) || 200, content: media["example"] ?? first ?? {} };
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

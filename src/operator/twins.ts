/**
 * The command line's twin of each view and action: the words after `repertoire`. It imports no code, so the console shows
 * the same command that the API's own tests run.
 */
import type { RouteName } from "./routes.ts";

/** What a route is asked, as far as a command needs it. */
export interface TwinInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

type Words = readonly string[];
type Twin = (input: Required<TwinInput>) => Words;

/** `--name value`, where there is one. */
function option(name: string, value: unknown): Words {
  if (value === undefined || value === null || value === "" || value === false) return [];
  if (value === true) return [name];
  if (Array.isArray(value)) return value.flatMap((each) => option(name, each));
  return [name, typeof value === "string" ? value : JSON.stringify(value)];
}

function inputsOf(inputs: unknown): Words {
  const given = typeof inputs === "object" && inputs !== null ? Object.entries(inputs) : [];
  return given.flatMap(([key, value]) => [
    "--input",
    `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  ]);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Code is longer than a command line should be: it is read from standard input. */
const CODE_FILE = "-";

const TWINS: Partial<Record<RouteName, Twin>> = {
  getStatus: () => ["status"],
  listInbox: () => ["inbox"],
  getStats: ({ query }) => ["stats", ...option("--days", query["days"])],
  listRuns: ({ query }) => [
    "runs",
    ...option("--status", query["status"]),
    ...option("--kind", query["kind"]),
    ...option("--tool", query["tool"]),
    ...option("--text", query["text"]),
    ...option("--since", query["since"]),
  ],
  startRun: ({ body }) => [
    "run",
    body["code"] === undefined ? text(body["name"]) : CODE_FILE,
    ...inputsOf(body["inputs"]),
    ...option("--intent", body["intent"]),
    ...option("--timeout", body["timeout_ms"]),
  ],
  declareTools: () => ["types"],
  getRun: ({ params }) => ["show", params["run"]!],
  getTrace: ({ params }) => ["show", params["run"]!],
  listSteps: ({ params }) => ["show", params["run"]!],
  getStep: ({ params }) => ["show", params["run"]!, "--step", params["step"]!],
  readValue: ({ params }) => ["show", params["run"]!, "--step", params["step"]!],
  resumeRun: ({ params, body }) => [
    "resume",
    params["run"]!,
    ...(body["code"] === undefined ? [] : ["--code", CODE_FILE]),
    ...inputsOf(body["inputs"]),
    ...option("--uncertain", body["uncertain"]),
    ...option("--timeout", body["timeout_ms"]),
  ],
  cancelRun: ({ params }) => ["cancel", params["run"]!],
  decideRun({ params, body }) {
    const remember = body["remember"] as Readonly<Record<string, unknown>> | undefined;
    return [
      "approve",
      params["run"]!,
      "--question",
      text(body["question"]),
      body["approve"] === true ? "--yes" : "--deny",
      ...(remember === undefined
        ? []
        : [
            "--remember",
            ...option("--same", remember["same"]),
            ...option("--times", remember["times"]),
            ...option("--script", remember["script"]),
          ]),
    ];
  },
  listLibrary: ({ query }) => ["list", ...(query["pattern"] === undefined ? [] : [text(query["pattern"])])],
  getItem: ({ params }) => ["describe", params["name"]!],
  compareVersions: ({ query }) => ["diff", text(query["before"]), text(query["after"])],
  testItem: ({ params }) => ["test", params["name"]!],
  renameItem: ({ params, body }) => ["rename", params["name"]!, text(body["to"])],
  aliasItem: ({ params, body }) => ["alias", params["name"]!, text(body["alias"])],
  rollBackItem: ({ params, body }) => ["rollback", `${params["name"]!}@${String(body["version"])}`],
  deleteItem: ({ params }) => ["delete", params["name"]!],
  exportItem: ({ params }) => ["export", "exported", params["name"]!],
  saveDraft: ({ body }) => [
    "save",
    text(body["draft_name"]),
    text(body["final_name"]),
    ...option("--description", body["description"]),
    ...option("--tag", body["tags"]),
    ...option("--overwrite", body["overwrite"]),
  ],
  listServers: () => ["servers"],
  getServer: ({ params }) => ["describe", params["server"]!],
  addServers: ({ body }) => [
    "add",
    ...(body["name"] === undefined ? [] : [text(body["name"])]),
    text(body["given"]),
    ...option("--force", body["replace"]),
    ...option("--dry-run", body["dry_run"]),
  ],
  removeServer: ({ params }) => ["remove", params["server"]!],
  enableServer: ({ params }) => ["enable", params["server"]!],
  disableServer: ({ params }) => ["disable", params["server"]!],
  restartServer: ({ params }) => ["servers", params["server"]!, "--check"],
  loginServer: ({ params }) => ["login", params["server"]!],
  setInput: ({ params }) => ["input", "set", params["input"]!],
  listPins: ({ query }) => [
    "pins",
    ...(query["server"] === undefined ? [] : [text(query["server"])]),
    ...option("--all", query["all"] === "true"),
  ],
  decidePins({ params, body }) {
    const pins = (body["pins"] ?? []) as readonly { readonly name: string; readonly kind: string }[];
    const [only] = pins;
    const name = only === undefined ? "" : only.name === "" ? only.kind : only.name;
    const what = pins.length === 1 ? [name] : [];
    return [body["approve"] === true ? "approve" : "reject", params["server"]!, ...what, "--yes"];
  },
  listTools: ({ query }) => ["tools", ...(query["server"] === undefined ? [] : [text(query["server"])])],
  searchTools: ({ query }) => ["tools", text(query["query"])],
  getTool: ({ params }) => ["describe", params["tool"]!],
  callTool: ({ params, body }) => ["call", params["tool"]!, ...option("--args", body["args"])],
  listCalls: ({ query }) => [
    "calls",
    ...option("--tool", query["tool"]),
    ...option("--who", query["who"]),
    ...option("--since", query["since"]),
  ],
  listTokens: () => ["token", "list"],
  getToken: ({ params }) => ["token", "show", params["token"]!],
  createToken: ({ body }) => [
    "token",
    "create",
    text(body["name"]),
    ...option("--scope", (body["scopes"] as readonly string[] | undefined)?.join(",")),
    ...option("--profile", body["profiles"]),
    ...option("--effects", (body["effects"] as readonly string[] | undefined)?.join(",")),
    ...option("--tools", body["tools"]),
    ...option("--expires", body["expires_at"]),
  ],
  revokeToken: ({ params }) => ["token", "revoke", params["token"]!],
  rotateToken: ({ params }) => ["token", "rotate", params["token"]!],
  listRules: () => ["rules"],
  explainCall: ({ body }) => [
    "rules",
    "explain",
    text(body["tool"]),
    ...option("--args", body["args"]),
    ...option("--who", body["who"]),
    ...option("--profile", body["profile"]),
  ],
};

/** The words of the command; undefined where the command line has none. */
export function twinOf(
  name: RouteName,
  { params = {}, query = {}, body = {} }: TwinInput = {},
): Words | undefined {
  return TWINS[name]?.({ params, query, body });
}

const PLAIN = /^[\w@%+=:,./-]+$/;

/** One word as a shell reads it back. */
export function shellWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** As it can be pasted into a shell. */
export function commandText(words: Words): string {
  return ["repertoire", ...words].map(shellWord).join(" ");
}

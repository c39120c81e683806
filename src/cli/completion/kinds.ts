/** Which words fit where, by command and argument. What is not listed takes any word. */

export type WordKind =
  | "files"
  | "dirs"
  | "servers"
  | "tools"
  | "nodes"
  | "parameters"
  | "kept"
  | "runs"
  | "drafts"
  | "inputs"
  | "tokens"
  | "clients";

const KEPT: readonly WordKind[] = ["kept"];
const RUNS: readonly WordKind[] = ["runs"];
const SERVERS: readonly WordKind[] = ["servers"];

/** By the path of the command; one list for each of its arguments, the last for all that follow. */
const ARGUMENTS: Readonly<Record<string, readonly (readonly WordKind[])[]>> = {
  tools: [SERVERS],
  describe: [["tools", "servers", "nodes"]],
  call: [["tools"], ["parameters"]],
  run: [["kept", "drafts", "files"]],
  resume: [RUNS],
  show: [RUNS],
  approve: [RUNS],
  save: [["drafts"]],
  list: [KEPT],
  test: [KEPT],
  history: [KEPT],
  diff: [KEPT, KEPT],
  rollback: [KEPT],
  rename: [KEPT],
  alias: [KEPT],
  delete: [KEPT],
  remove: [SERVERS],
  enable: [SERVERS],
  disable: [SERVERS],
  login: [SERVERS],
  logout: [SERVERS],
  types: [SERVERS],
  validate: [["files"]],
  graph: [["files"]],
  import: [["dirs"]],
  export: [["dirs"], KEPT],
  connect: [["clients"]],
  add: [[], ["files"], ["files"]],
  "input set": [["inputs"]],
  "input forget": [["inputs"]],
  "token revoke": [["tokens"]],
  "token rotate": [["tokens"]],
};

const OPTIONS: Readonly<Record<string, readonly WordKind[]>> = {
  "--config": ["files"],
  "--home": ["dirs"],
  "--out": ["files"],
  "--code": ["files"],
  "--args": ["files"],
  "--name": ["kept", "drafts"],
  "--servers": SERVERS,
  "--from": ["clients"],
};

export function argumentKind(path: string, at: number): readonly WordKind[] {
  const kinds = ARGUMENTS[path] ?? [];
  return kinds[at] ?? kinds.at(-1) ?? [];
}

export function optionKind(long: string): readonly WordKind[] {
  return OPTIONS[long] ?? [];
}

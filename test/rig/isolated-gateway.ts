/** A gateway whose one server tries to get out of its sandbox, and a user with things to lose. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../fixtures/gateway-process.ts";
import { temporaryFolder } from "../fixtures/temporary.ts";

export const ESCAPING = join(import.meta.dirname, "../fixtures/escaping-server.mjs");

/** The namespaces alone: where they cannot be made, a server cannot be isolated on this machine. */
export const HAS_BUBBLEWRAP =
  process.platform === "linux" &&
  spawnSync("bwrap", ["--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "true"])
    .status === 0;

if (!HAS_BUBBLEWRAP)
  console.warn(
    "bubblewrap does not work on this machine: the tests that need it are SKIPPED (apt install bubblewrap)",
  );

export interface Tried {
  readonly done?: unknown;
  readonly refused?: string;
}

/** `folder` is the user's: `~` of the rules, and readable where a rule says so, as it is below /tmp. */
export function makeUser() {
  const folder = temporaryFolder();
  const write = (path: string, text: string): string => {
    const file = join(folder, path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  write(".ssh/id_ed25519", "private key");
  write(".aws/credentials", "aws secret");
  write(".netrc", "machine password");
  write("notes/today.txt", "dentist");
  write("notes/private/diary.txt", "dear diary");
  write("project/src/main.ts", "source");
  write("project/hooks/pre-commit", "check");
  return { folder, write };
}

const CHECKOUT = join(import.meta.dirname, "../..");
/** Node and the servers are in the checkout. One that is below /tmp would be hidden like everything else there. */
const PROGRAMS = /^\/(?:var\/)?tmp\//.test(CHECKOUT) ? [CHECKOUT] : [];

interface Sandbox {
  readonly filesystem?: Readonly<Record<string, readonly string[]>>;
  readonly [part: string]: unknown;
}

/** Rules as a test means them, wherever the checkout is. */
export function rulesOf(sandbox: Sandbox): object {
  if (PROGRAMS.length === 0) return sandbox;
  const { filesystem } = sandbox;
  return {
    ...sandbox,
    filesystem: { ...filesystem, allowRead: [...(filesystem?.["allowRead"] ?? []), ...PROGRAMS] },
  };
}

/** Everything of the user is readable here, so that what is hidden is hidden by a rule. */
export const OPEN = { filesystem: { allowRead: ["~"] } };

export interface IsolatedOptions {
  readonly sandbox?: Sandbox;
  readonly env?: Record<string, string>;
  readonly entry?: Record<string, unknown>;
  readonly gatewayEnv?: Record<string, string>;
}

export async function startIsolated(options: IsolatedOptions = {}) {
  const user = makeUser();
  const entry = {
    command: process.execPath,
    args: [ESCAPING],
    cwd: join(user.folder, "project"),
    env: options.env ?? {},
    sandboxEnabled: true,
    sandbox: rulesOf(options.sandbox ?? OPEN),
    ...options.entry,
  };
  const file = user.write("gateway.json", JSON.stringify({ mcpServers: { out: entry } }));
  const gateway = await connect("2025-11-25", {
    folder: user.folder,
    args: ["--config", file],
    ...(options.gatewayEnv !== undefined && { env: options.gatewayEnv }),
  });
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const answer = await gateway.client.callTool({ name: `out__${name}`, arguments: args });
    return { isError: answer.isError, text: (answer.content as { text: string }[])[0]!.text };
  };
  const attempt = async (name: string, args: Record<string, unknown> = {}): Promise<Tried> => {
    const { isError, text } = await call(name, args);
    if (isError === true) throw new Error(text);
    return JSON.parse(text) as Tried;
  };
  return { ...user, ...gateway, file, call, attempt };
}

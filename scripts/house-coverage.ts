/** Which files of src a request passes, measured in a gateway that runs from source with one real server behind it. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

/** Files of src in which a function runs, with the names of these functions. */
export type RanFiles = Readonly<Record<string, readonly string[]>>;

export interface PassedFiles {
  /** Of every `tools/call` that is forwarded. */
  readonly call: RanFiles;
  /** Of every `tools/list`. */
  readonly list: RanFiles;
}

const WARM_UPS = 2;
/** What runs by chance, such as a timer, is not in all of them. */
const WINDOWS = 7;
/** For what a request leaves to be done behind its answer. */
const SETTLE_MS = 40;
/** The whole measuring takes about three seconds; longer means that something hangs. */
const LIMIT_MS = 60_000;
/** A gateway without a call under way ends sooner. */
const END_MS = 5_000;

const TOOL_CALL = { name: "sum__get-sum", arguments: { a: 1, b: 2 } };
const HELLO = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "house", version: "1" },
};

type Ask = (method: string, params: object) => Promise<void>;

/** Over stdio, with a client of the legacy era: the way of nearly every client. */
export function measureStdio(root: string): Promise<PassedFiles> {
  return withGateway(root, [], async (child) => {
    const ask = askOverStdio(child);
    await ask("initialize", HELLO);
    child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    return measure(child, ask);
  });
}

/** Over Streamable HTTP, with a session, of the same era. */
export function measureHttp(root: string): Promise<PassedFiles> {
  return withGateway(root, ["--http", "127.0.0.1:0", "--ready-json"], async (child) => {
    const [line] = (await once(createInterface(child.stdout!), "line")) as [string];
    const { url, tokenFile } = JSON.parse(line) as { readonly url: string; readonly tokenFile: string };
    const { tokens } = JSON.parse(readFileSync(tokenFile, "utf8")) as { tokens: { value: string }[] };
    const ask = askOverHttp(url, tokens[0]!.value);
    await ask("initialize", HELLO);
    return measure(child, ask);
  });
}

async function withGateway(
  root: string,
  args: readonly string[],
  work: (child: ChildProcess) => Promise<PassedFiles>,
): Promise<PassedFiles> {
  const main = join(root, "src/main.ts");
  const server = join(root, "test/fixtures/sum-server.mjs");
  for (const file of [main, server]) {
    if (!existsSync(file)) throw new Error(`${file} is gone: correct its path in scripts/house-coverage.ts.`);
  }
  const folder = mkdtempSync(join(tmpdir(), "repertoire-house-"));
  const config = join(folder, "config.json");
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: { sum: { command: process.execPath, args: [server] } } }),
  );
  const hook = new URL("house-hook.ts", import.meta.url).href;
  const serve = [
    "serve",
    "--config",
    config,
    "--home",
    join(folder, "home"),
    "--log-level",
    "error",
    ...args,
  ];
  const child = spawn(process.execPath, ["--import", hook, main, ...serve], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder },
    stdio: ["pipe", "pipe", "pipe", "ipc"],
  });
  let stderr = "";
  child.stderr!.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, "exit");
  const broken = Promise.race([ended, delay(LIMIT_MS, undefined, { ref: false })]).then(() => {
    throw new Error(`The gateway ended, or did not answer within ${LIMIT_MS} ms. It said: ${stderr}`);
  });
  try {
    return await Promise.race([work(child), broken]);
  } finally {
    broken.catch(() => {});
    child.kill();
    const killing = setTimeout(() => child.kill("SIGKILL"), END_MS);
    await ended;
    clearTimeout(killing);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(child: ChildProcess, ask: Ask): Promise<PassedFiles> {
  await ask("tools/list", {});
  return {
    call: await filesPassed(child, () => ask("tools/call", TOOL_CALL)),
    list: await filesPassed(child, () => ask("tools/list", {})),
  };
}

/** What each of several single requests has run. */
async function filesPassed(child: ChildProcess, request: () => Promise<void>): Promise<RanFiles> {
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp++) await request();
  const windows: RanFiles[] = [];
  while (windows.length < WINDOWS) {
    await delay(SETTLE_MS);
    await takeRan(child);
    await request();
    await delay(SETTLE_MS);
    windows.push(await takeRan(child));
  }
  const passed: Record<string, readonly string[]> = {};
  for (const file of Object.keys(windows[0]!).toSorted()) {
    const names = windows[0]![file]!.filter((name) => windows.every((ran) => ran[file]?.includes(name)));
    if (names.length > 0) passed[file] = names;
  }
  return passed;
}

/** What ran since it was asked last. */
async function takeRan(child: ChildProcess): Promise<RanFiles> {
  const answer = once(child, "message");
  child.send("take");
  const [ran] = (await answer) as [RanFiles];
  return ran;
}

/** One request at a time. */
function askOverStdio(child: ChildProcess): Ask {
  const lines = createInterface(child.stdout!);
  let id = 0;
  return async (method, params) => {
    const own = ++id;
    const { promise, resolve } = Promise.withResolvers<string>();
    const take = (line: string): void => {
      if ((JSON.parse(line) as { readonly id?: number }).id === own) resolve(line);
    };
    lines.on("line", take);
    child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", id: own, method, params })}\n`);
    check(method, await promise);
    lines.off("line", take);
  };
}

function askOverHttp(url: string, token: string): Ask {
  let id = 0;
  let session: string | null = null;
  return async (method, params) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session !== null && { "mcp-session-id": session, "mcp-protocol-version": HELLO.protocolVersion }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
    });
    session ??= response.headers.get("mcp-session-id");
    check(method, await response.text());
  };
}

/** What an answer has when all went well: a refused request passes other files, and must not be measured. */
const EXPECTED: Readonly<Record<string, string>> = {
  initialize: "serverInfo",
  "tools/list": TOOL_CALL.name,
  "tools/call": "is 3.",
};

function check(method: string, answer: string): void {
  if (!answer.includes(EXPECTED[method]!)) throw new Error(`The gateway answered ${method} with: ${answer}`);
}

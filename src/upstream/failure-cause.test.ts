import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog, type Log } from "../core/log.ts";
import { createRedactor } from "../text/redaction.ts";
import { causeOfFetchError } from "./failure-cause.ts";
import type { OpenTransport } from "./transport/open-transport.ts";
import type { TransportConfig } from "./upstream-config.ts";
import { createUpstreamServer } from "./upstream-server.ts";

const CANARY = "c4nary".repeat(4);

interface OpenOptions {
  readonly connectTimeoutMs?: number;
  readonly log?: Log;
  readonly openTransport?: OpenTransport;
}

function open(transport: TransportConfig, options: OpenOptions = {}) {
  const { connectTimeoutMs = 10_000, log = silentLog, openTransport } = options;
  const redactor = createRedactor([CANARY]);
  const upstream = createUpstreamServer(
    { id: "box", transport, callTimeoutMs: 10_000, connectTimeoutMs, idleMs: 0 },
    {
      clientInfo: { name: "test", version: "1" },
      log,
      redact: (text) => redactor.text(text),
      ...(openTransport !== undefined && { openTransport }),
    },
  );
  onTestFinished(() => upstream.close());
  return upstream;
}

async function failureOf(transport: TransportConfig, options?: OpenOptions) {
  const upstream = open(transport, options);
  const result = await upstream.call("x", {}, { traceId: "t", signal: new AbortController().signal });
  const { lastError, failureCount } = upstream.status();
  return { result, lastError, failureCount };
}

const shell = (script: string, more = {}): TransportConfig => ({
  kind: "stdio",
  command: "sh",
  args: ["-c", script],
  env: {},
  ...more,
});

async function startServer(listener: RequestListener): Promise<TransportConfig> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { kind: "http", url: `http://127.0.0.1:${port}/mcp`, headers: {} };
}

describe.skipIf(process.platform === "win32")("a program that does not come up has a cause", () => {
  it.each([
    ["not_found", { kind: "stdio", command: "no-such-program-here", args: [], env: {} }],
    ["not_found", shell("exit 127")],
    ["not_executable", { kind: "stdio", command: "/", args: [], env: {} }],
    ["bad_folder", shell("", { cwd: "/no/such/folder" })],
    ["bad_variable", shell("", { env: { "a.b": "1" } })],
    ["not_started", shell("", { args: ["a\0b"] })],
    ["exited", shell("exit 9")],
  ] as const)("%s", async (cause, transport) => {
    const { lastError } = await failureOf(transport);
    expect(lastError).toMatchObject({ cause });
  });
});

it("a program that says nothing is too slow, one that says other things speaks no MCP", async () => {
  const causeOf = async (noise: number) => {
    const transport = { start: async () => {}, send: async () => {}, close: async () => {} };
    const process = {
      ...transport,
      pid: 1,
      exit: new Promise<never>(() => {}),
      stderrTail: () => [],
      stderrAt: () => undefined,
      counts: () => ({ noise, oversize: 0 }),
    };
    const openTransport = async () => ({ transport: process, process });
    return (await failureOf(shell(""), { connectTimeoutMs: 20, openTransport })).lastError?.cause;
  };
  expect([await causeOf(0), await causeOf(1)]).toEqual(["connect_timeout", "not_mcp"]);
});

describe("a remote server that does not come up has a cause", () => {
  it.each([
    ["http_status", 404, "text/plain", "nothing here"],
    ["not_mcp", 200, "text/html", "<p>Welcome</p>"],
    ["busy", 429, "text/plain", "later"],
    ["auth_required", 401, "text/plain", "who are you"],
  ] as const)("%s", async (cause, status, type, body) => {
    const transport = await startServer((_, response) => {
      response.writeHead(status, { "content-type": type }).end(body);
    });
    expect((await failureOf(transport)).lastError).toMatchObject({ cause });
  });

  it("unreachable, where nobody listens", async () => {
    const transport: TransportConfig = { kind: "http", url: "http://127.0.0.1:1/mcp", headers: {} };
    expect((await failureOf(transport)).lastError).toMatchObject({ cause: "unreachable" });
  });

  it.each([
    ["ENOTFOUND", "name_not_found"],
    ["EAI_AGAIN", "name_not_found"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tls"],
    ["ECONNRESET", "unreachable"],
  ])("that the code %s tells", (code, cause) => {
    const error = new TypeError("failed", { cause: Object.assign(new Error("x"), { code }) });
    expect(causeOfFetchError(error)).toBe(cause);
  });

  it("tls, where plain HTTP answers", async () => {
    const { url } = (await startServer((_, response) => void response.end())) as { url: string };
    const transport: TransportConfig = { kind: "http", url: url.replace("http:", "https:"), headers: {} };
    expect((await failureOf(transport)).lastError).toMatchObject({ cause: "tls" });
  });
});

it.skipIf(process.platform === "win32")(
  "T136: what a failing program prints of its secrets reaches neither the caller nor the log, however long the line is",
  async () => {
    const logged: unknown[] = [];
    const keep = (...entry: unknown[]): void => void logged.push(entry);
    const log: Log = { ...silentLog, debug: keep, info: keep, warn: keep, error: keep };
    const script = `echo "key=$KEY" >&2; printf '%0990d%s\\n' 0 "$KEY" >&2; echo bye >&2; exit 9`;
    const { result, lastError } = await failureOf(shell(script, { env: { KEY: CANARY } }), { log });
    expect(lastError?.stderr).toMatchObject(["key=[redacted]", expect.any(String), "bye"]);
    expect(result).toMatchObject({ error: { message: expect.stringContaining("key=[redacted]") } });
    const seen = JSON.stringify([result, lastError, logged]);
    expect(seen).toContain("upstream.failed");
    // Half of it, cut off at the end of a line, would be as bad.
    expect(seen).not.toContain(CANARY.slice(0, 6));
  },
);

it.skipIf(process.platform === "win32")(
  "AG3: what a failing program printed is told without colours and control characters",
  async () => {
    const { result } = await failureOf(
      shell(`printf '\\033[31mred\\033[0m \\033]0;x\\007 \\000\\n' >&2; exit 9`),
    );
    expect(result).toMatchObject({
      error: { message: expect.stringContaining("It said: red \\u{1b}]0;x\\u{7} \\u{0}") },
    });
  },
);

it("C1: a start that reaches its limit is one failure", async () => {
  const status = await failureOf(shell("sleep 30"), { connectTimeoutMs: 50 });
  expect(status).toMatchObject({ failureCount: 1, lastError: { cause: "connect_timeout" } });
});

it("C3: a crash is told with the line that names its cause and what cures it, without secrets", async () => {
  const script = `throw new Error("SOME_API_KEY is required, not ${CANARY}")`;
  const transport: TransportConfig = {
    kind: "stdio",
    command: process.execPath,
    args: ["-e", script],
    env: {},
  };
  const { result, lastError } = await failureOf(transport);
  const error = result.success ? undefined : result.error;
  expect(error?.message).toMatch(
    /^The server box is not available: the process exited with code 1: Error: SOME_API_KEY is required, not \S+\.$/,
  );
  expect(error?.hint).toContain("Set SOME_API_KEY");
  expect(lastError?.stderr.join("\n")).toContain("Node.js v");
  expect(JSON.stringify([result, lastError])).not.toContain(CANARY);
});

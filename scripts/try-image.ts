/**
 * `npm run try:image`: builds the image of deploy/Dockerfile without Docker, starts it, uses it and ends it. It wants
 * buildah, and root and crun to start the image; what is missing is named and skipped, with exit code 0.
 *
 * - `TRY_BASE`: the base image. Without it, one is made once by debootstrap (two minutes), with the Node of
 *   node_modules, and kept as `repertoire-try-base`.
 * - `TRY_PORT`: where the gateway listens.
 * - `REPERTOIRE_DATABASE_URL` and `REPERTOIRE_SECRET_KEY` are handed on; without them the gateway runs on SQLite.
 */
import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildImage, has, IMAGE, run, Skipped, type ImageConfig } from "./image.ts";
import { CONTAINER_UID, runInContainer, startContainer } from "./image-container.ts";
import type { ContainerPlace, StartedContainer } from "./image-container.ts";

const PORT = Number(process.env["TRY_PORT"] ?? 18_080);
/** A cold start on a busy machine. */
const READY_MS = 60_000;
/** The gateway promises ten seconds. */
const DRAIN_MS = 15_000;
const isOnPostgres = process.env["REPERTOIRE_DATABASE_URL"] !== undefined;

/** A shell inside says who it is, and whether it can write where it must not. */
const LOOK = `echo "uid $(id -u)"; touch /app/x 2>/dev/null && echo "root writable" || echo "root read-only"
touch /tmp/x && echo "/tmp writable"; grep -E "^(CapEff|NoNewPrivs)" /proc/self/status | tr -s "\\t" " "`;

function openPlace(folder: string, rootfs: string, image: ImageConfig, token: string): ContainerPlace {
  const env = Object.fromEntries(image.Env.map((line) => line.split(/=(.*)/s, 2) as [string, string]));
  for (const name of ["REPERTOIRE_DATABASE_URL", "REPERTOIRE_SECRET_KEY"]) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  if (isOnPostgres) return { folder, rootfs, env: { ...env, REPERTOIRE_TOKEN: token }, home: undefined };
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  chownSync(home, CONTAINER_UID, CONTAINER_UID);
  return { folder, rootfs, env, home };
}

async function untilReady(gateway: StartedContainer): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < READY_MS && gateway.process.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${PORT}/health/ready`).catch(() => undefined);
    if (answer?.ok === true)
      return console.log(`ready after ${Math.round(performance.now() - startedAt)} ms`);
    await sleep(100);
  }
  throw new Error(`The gateway is not ready. It said:\n${gateway.said()}`);
}

function ask(token: string, method: string, params: object, session: string | null): Promise<Response> {
  return fetch(`http://127.0.0.1:${PORT}/mcp`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      ...(session !== null && { "Mcp-Session-Id": session }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

/** What a client does first: opens a session, and runs code in the sandbox. */
async function useGateway(token: string): Promise<void> {
  const clientInfo = { name: "try-image", version: "1" };
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const opened = await ask(token, "initialize", hello, null);
  const call = { name: "execute", arguments: { code: "return 6 * 7;" } };
  const answer = await ask(token, "tools/call", call, opened.headers.get("Mcp-Session-Id"));
  const text = await answer.text();
  if (!/\b42\b/.test(text)) throw new Error(`execute answered ${opened.status}, ${answer.status}: ${text}`);
  console.log("initialize and execute answered");
}

async function endGateway(gateway: StartedContainer): Promise<void> {
  const at = performance.now();
  gateway.signal("TERM");
  const code = await Promise.race([gateway.ended, sleep(DRAIN_MS, "nothing", { ref: false })]);
  if (code !== 143) throw new Error(`After SIGTERM came exit code ${code}. It said:\n${gateway.said()}`);
  console.log(`SIGTERM: exit code 143 after ${Math.round(performance.now() - at)} ms`);
}

/** On SQLite it is made in the home, and is the only long word that is printed. */
function makeToken(place: ContainerPlace, image: ImageConfig): string {
  const args = ["token", "create", "try", "--scope", "read,call,write,admin"];
  const printed = runInContainer(place, "token", [...image.Entrypoint, ...args]);
  const token = /[\w-]{32,}/.exec(printed)?.[0];
  if (token === undefined) throw new Error("`token create` printed no token.");
  return token;
}

async function tryContainer(folder: string, rootfs: string, image: ImageConfig): Promise<void> {
  const ownToken = randomBytes(32).toString("base64url");
  const place = openPlace(folder, rootfs, image, ownToken);
  console.log(runInContainer(place, "look", ["sh", "-c", LOOK]));
  const token = isOnPostgres ? ownToken : makeToken(place, image);
  const listening = image.Cmd.map((word) => word.replace(":8080", `:${PORT}`));
  const gateway = startContainer(place, "serve", [...image.Entrypoint, ...listening]);
  try {
    await untilReady(gateway);
    const [, ...check] = image.Healthcheck.Test.map((word) => word.replace(":8080", `:${PORT}`));
    gateway.exec(check);
    console.log("the health check of the image is good");
    await useGateway(token);
    await endGateway(gateway);
  } finally {
    if (gateway.process.exitCode === null) gateway.signal("KILL");
    await gateway.ended;
  }
}

async function tryImage(): Promise<void> {
  const image = buildImage();
  console.log(`built, for the user ${image.User}`);
  if (!has("crun") || process.getuid?.() !== 0) throw new Skipped("starting the image needs crun and root");
  const folder = mkdtempSync(join(tmpdir(), "repertoire-try-"));
  const container = run("buildah", ["from", IMAGE]);
  try {
    await tryContainer(folder, run("buildah", ["mount", container]), image);
  } finally {
    run("buildah", ["rm", container]);
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  await tryImage();
} catch (error) {
  if (!(error instanceof Skipped)) throw error;
  console.log(`skipped: ${error.message}`);
}

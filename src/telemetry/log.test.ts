import { execFileSync, spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually, temporaryFolder } from "../../test/fixtures/temporary.ts";
import { createLog } from "./log.ts";

function openLog(options: { level?: "info" | "debug" | "silent"; secrets?: string[]; format?: "text" } = {}) {
  const file = join(temporaryFolder(), "logs", "gateway.log");
  const { level = "info", secrets = [], format } = options;
  const log = createLog({ level, file, secrets, format });
  const lines = async () => {
    await log.close();
    return readFileSync(file, "utf8").trimEnd().split("\n");
  };
  return { file, log, lines };
}

it("writes one line of JSON for each event, for its owner's eyes only", async () => {
  const { log, lines, file } = openLog();
  log.info("gateway.started", { home: "/x" });
  log.error("gateway.call.failed", { error: new Error("boom") });
  const events = (await lines()).map((line) => JSON.parse(line) as object);
  expect(events).toMatchObject([
    { level: "info", event: "gateway.started", home: "/x", time: expect.stringMatching(/^\d{4}-.*Z$/) },
    { level: "error", event: "gateway.call.failed", error: { name: "Error", message: "boom" } },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("keeps to its level, and to a new one after configure", async () => {
  const { log, lines } = openLog();
  log.debug("one");
  log.info("two");
  log.configure({ level: "debug", secrets: [] });
  log.debug("three");
  log.configure({ level: "silent", secrets: [] });
  log.error("four");
  expect((await lines()).map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
    "two",
    "three",
  ]);
});

it("leaves no secret in fields, keys, errors or the event itself", async () => {
  const secret = 'CANARY-"quoted"-secret';
  const { log, lines } = openLog({ secrets: [secret] });
  log.info(`event ${secret}`, {
    [secret]: 1,
    text: `x ${secret}`,
    apiKey: "CANARY-by-key",
    error: new Error(secret),
  });
  const text = (await lines()).join("\n");
  expect(text).not.toContain("CANARY");
  expect(JSON.parse(text)).toMatchObject({ apiKey: "[redacted]" });
});

it("C10: text leaves no secret either, also one that JSON would escape", async () => {
  const secret = 'CANARY-"quoted"\\-secret';
  const { log, lines } = openLog({ secrets: [secret], format: "text" });
  log.info(`event ${secret}`, { [secret]: 1, text: `x ${secret}`, apiKey: "CANARY-by-key" });
  log.error("gateway.uncaught", { error: new Error(secret) });
  log.warn("upstream.failed", { server: secret, reason: secret, stderr: [`${secret} ${secret}`] });
  const text = (await lines()).join("\n");
  expect(text).not.toContain("CANARY");
  expect(text).toMatch(/^\d\d:\d\d:\d\d info {2}event /);
});

it("T156: one event is one line, whatever its text holds", async () => {
  const { log, lines } = openLog();
  const hostile = 'a\nb\r\nc\u2028d\u2029e\u0085f\u001b[31m{"level":"error","event":"forged"}';
  log.info(hostile, { hostile });
  const written = await lines();
  expect(written).toHaveLength(1);
  expect(written[0]).not.toMatch(/[\u2028\u2029\u0085\u001b]/);
  expect(JSON.parse(written[0]!)).toMatchObject({ hostile, event: hostile });
});

it("S18: nothing in a line steers a terminal or turns its text round, and it reads back as it was", async () => {
  const { log, lines } = openLog();
  const hostile = "a\u202Eb\u009B31mc\u200Bd\u3164e\uFE01f\u{E0041}g\u00ADh\u007F";
  log.info("event", { hostile, [`key\u202E`]: 1 });
  const [line] = await lines();
  expect(line).toMatch(/^[ -~]+$/);
  expect(JSON.parse(line!)).toMatchObject({ hostile, "key\u202E": 1 });
});

it("T157: a value that cannot be read does not end the event", async () => {
  const { log, lines } = openLog();
  const hostile = {
    get bad(): never {
      throw new Error("no");
    },
  };
  log.info("event", { hostile });
  log.info("event", { big: "x".repeat(5_000_000) });
  const text = (await lines()).join("\n");
  expect(text).toContain("[unredactable");
  expect(text.length).toBeLessThan(2_000);
});

const FLOOD = `
  import { createLog } from ${JSON.stringify(new URL("./log.ts", import.meta.url).href)};
  const log = createLog({ level: "info", secrets: [] });
  for (let i = 0; i < 3000; i++) log.info("flood", { i, text: "x".repeat(2000) });
  setTimeout(async () => { await log.close(); process.stdout.write("still here"); process.exit(0); }, 300);
`;

it("T160: a sink that nobody reads does not hold the process", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", FLOOD], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    child.stderr.pause();
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await eventually("the process to go on", () => said === "still here");
  } finally {
    child.kill("SIGKILL");
  }
});

it("T160: a sink that is closed does not end the process", () => {
  const said = execFileSync("/bin/sh", [
    "-c",
    `exec "$0" --input-type=module -e "$1" 2>&-`,
    process.execPath,
    FLOOD,
  ]);
  expect(said.toString()).toBe("still here");
});

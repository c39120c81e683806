/** `repertoire bug-report` with a canary in every place that could hold a secret: none of them is in it, in no encoding. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { encodedForms } from "../src/text/encoded-forms.ts";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

/** Letters and digits, and characters that every encoding writes differently. */
const canary = (name: string) => `CANARY${name}7qZx9LmN2"/?+~`;
const NAMES = [
  "env",
  "arg",
  "flag",
  "header",
  "user",
  "password",
  "path",
  "query",
  "cwd",
  "kept",
  "unknown",
  "llm",
  "variable",
  "log",
  "said",
  "intent",
  "input",
];

it("holds versions, shapes, states and error codes, and no secret from anywhere", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "mine.json");
  const logFile = join(folder, "gateway.log");
  const env = { MY_TOKEN: canary("variable"), REPERTOIRE_KEYRING: "off" };
  const encoded = (name: string) => encodeURIComponent(canary(name));
  writeFileSync(
    file,
    JSON.stringify({
      mcpServers: {
        dead: {
          command: "sh",
          args: [
            "-c",
            `echo "said ${canary("said")} $SECRET" >&2; exit 9`,
            canary("arg"),
            `--token=${canary("flag")}`,
          ],
          env: { SECRET: canary("env"), FROM: "${MY_TOKEN}", ASKED: "${input:pin}" },
          somethingElse: { deep: [canary("unknown")] },
        },
        remote: {
          url: `https://${encoded("user")}:${encoded("password")}@mcp.example/${encoded("path")}?q=${encoded("query")}`,
          headers: { "X-Api-Key": canary("header") },
          enabled: false,
        },
        packaged: { command: "npx", args: ["-y", "@scope/server@1.2", canary("cwd")], enabled: false },
      },
      inputs: [{ id: "pin", type: "promptString", description: "d", password: true }],
      workflows: { llm: { url: "https://llm.example/v1", model: "m", apiKey: canary("llm") } },
      log: { file: logFile, level: "info" },
    }),
  );
  const cli = (args: string[], input?: string) =>
    runCliHere([...args, "--config", file], { folder, env, ...(input !== undefined && { input }) });
  expect((await cli(["input", "set", "pin"], `${canary("kept")}\n`)).stderr).toContain("kept");
  await cli(["servers", "--check"]);
  const code = `throw new Error(args.text)`;
  await cli(["run", "-", "--intent", canary("intent"), "--input", `text=${canary("input")}`], code);
  mkdirSync(join(folder, "more"), { recursive: true });
  writeFileSync(
    logFile,
    `${"x\n".repeat(60)}{"event":"one","token":"${canary("log").replaceAll('"', "")}"}\n{"event":"last ${encoded("env")}"}\n`,
  );

  const out = join(folder, "report.json");
  const { status, stdout, stderr } = await cli(["bug-report", "--out", out]);
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  expect(stderr).toContain("before you share it");
  expect(statSync(out).mode & 0o777).toBe(0o600);
  const text = readFileSync(out, "utf8");
  for (const name of NAMES) {
    expect(text).not.toContain(`CANARY${name}`);
    for (const [encoding, form] of encodedForms(canary(name)))
      expect([encoding, text.includes(form)]).toEqual([encoding, false]);
  }
  for (const name of [folder, hostname()]) expect(text).not.toContain(name);
  expect(text).not.toMatch(new RegExp(`\\b${userInfo().username}\\b`));
  const report = JSON.parse(text) as Record<string, never>;
  expect(report).toMatchObject({
    versions: {
      node: process.version,
      repertoire: expect.any(String),
      os: expect.stringContaining(process.platform),
    },
    config: {
      files: [
        {
          kind: "flag",
          shape: {
            mcpServers: {
              dead: {
                command: "sh",
                args: ["-c", "<text>", "<text>", "--token=<text>"],
                env: { SECRET: "[redacted]", FROM: "<text>", ASKED: "<text>" },
                somethingElse: { deep: ["<text>"] },
              },
              remote: {
                url: "https://mcp.example/…",
                headers: { "X-Api-Key": "[redacted]" },
                enabled: false,
              },
              packaged: { command: "npx", args: ["-y", "@scope/server@1.2", "<text>"] },
            },
            log: { level: "info", file: "<text>" },
          },
        },
      ],
    },
    doctor: expect.arrayContaining([expect.objectContaining({ name: "node", state: "ok" })]),
    servers: expect.arrayContaining([expect.objectContaining({ id: "dead", rejected: [] })]),
    failed_runs: [{ kind: "code", status: "failed", code: "TOOL_EXECUTION_FAILED" }],
  });
  expect(report["log"]).toHaveLength(50);
  // What is there already is not overwritten.
  expect(await cli(["bug-report", "--out", out])).toMatchObject({ status: 2 });
  expect(JSON.parse((await cli(["bug-report"])).stdout)).toHaveProperty("versions");
});

it("is made where the config is broken, too, and says so", async () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, "mine.json"),
    `{"mcpServers": {"a": {"command": "x", "env": {"K": "CANARY-broken-7qZx9"}}}, "exposure": "CANARY-odd-7qZx9"`,
  );
  const { status, stdout } = await runCliHere(["bug-report", "--config", "mine.json"], { folder });
  expect(status).toBe(0);
  expect(stdout).not.toContain("CANARY");
  expect(JSON.parse(stdout)).toMatchObject({
    config: { files: [{ shape: { mcpServers: { a: { command: "x", env: { K: "<text>" } } } } }] },
    doctor: expect.arrayContaining([expect.objectContaining({ name: "config", state: "failed" })]),
  });
});

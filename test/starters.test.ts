/** Webhooks and schedules in a real gateway over HTTP: what they start runs in the background, and once. */
import { createHmac } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { callOf, openSession, send } from "../src/server/http/http.testkit.ts";
import { runCli } from "./fixtures/gateway-process.ts";
import { createPlace, messageOf, startHttp } from "./rig/http-process.ts";

const TEST_MS_MAX = 120_000;
const SECRET = "0123456789abcdef-hook";

interface Executed {
  readonly run_id: string;
  readonly outputs: unknown;
  readonly status?: string;
}

it(
  "starts a kept tool for a signed request, once, as the hook's own principal",
  { timeout: TEST_MS_MAX },
  async () => {
    const place = createPlace({
      hooks: {
        github: { tool: "ops:note", secret: SECRET, inputs: { from: "hook" }, payload: "event" },
        short: { tool: "ops:note", secret: "short" },
      },
      schedules: {
        yearly: {
          cron: "0 0 1 1 *",
          timezone: "UTC",
          tool: "mcp__ops__note",
          inputs: { from: "cron", event: {} },
        },
        wrong: { cron: "nonsense", tool: "ops:note" },
        missing: { cron: "0 0 1 1 *", tool: "ops:nothing" },
      },
    });
    const gateway = await startHttp(place);
    onTestFinished(async () => {
      await gateway.stop();
      place.remove();
    });
    const headers = await openSession(gateway.url, "", place.owner());
    const execute = async (args: object): Promise<Executed> => {
      const sent = await send(gateway.url, { headers, body: callOf(7, "execute", args) });
      return (messageOf(sent.text) as { result: { structuredContent: Executed } }).result.structuredContent;
    };
    const code = "return { from: args.from, action: args.event.action }";
    await execute({ code, inputs: { from: "x", event: { action: "a" } }, save_as: "ops:note" });

    const body = JSON.stringify({ action: "opened" });
    const signature = (text: string) => `sha256=${createHmac("sha256", SECRET).update(text).digest("hex")}`;
    const post = async (id: string, text: string, signed = signature(text)) => {
      const given = { "X-Hub-Signature-256": signed, "X-GitHub-Delivery": "d-1" };
      const answer = await fetch(gateway.at(`/hooks/${id}`), { method: "POST", body: text, headers: given });
      return { status: answer.status, body: (await answer.json()) as { run_id?: string } };
    };
    const first = await post("github", body);
    expect(first).toMatchObject({ status: 202, body: { run_id: expect.any(String) } });
    expect(await post("github", body)).toEqual(first);
    for (const [id, signed] of [
      ["github", signature("other")],
      ["short", signature(body)],
      ["unknown", signature(body)],
    ] as const)
      expect((await post(id, body, signed)).status).toBe(401);

    const done = await execute({ resume: first.body.run_id, timeout_ms: 60_000 });
    expect(done).toMatchObject({ outputs: { from: "hook", action: "opened" } });
    const cli = (args: readonly string[]) => {
      const ran = runCli([...args, "--json", "--config", place.configFile, "--home", place.home], {
        folder: place.folder,
      });
      return JSON.parse(ran.stdout) as { starters: object[]; runs: object[]; checks: object[] };
    };
    expect(cli(["runs", "--background"]).runs).toMatchObject([
      { run_id: first.body.run_id, who: "hook:github", status: "succeeded", mode: "background" },
    ]);
    expect(cli(["schedules"]).starters).toMatchObject([
      { kind: "schedule", name: "yearly", next: expect.stringMatching(/-01-01T00:00:00.000Z$/) },
      { kind: "schedule", name: "wrong", problem: expect.stringContaining("five fields") },
      { kind: "schedule", name: "missing", problem: expect.stringContaining("ops:nothing") },
      { kind: "hook", name: "github", when: "POST /hooks/github", last: { status: "succeeded" } },
      { kind: "hook", name: "short", problem: expect.stringContaining("16 characters") },
    ]);
    const told = JSON.stringify(cli(["doctor"]).checks);
    expect(told).toContain("schedules.wrong");
    expect(told).toContain("hooks.short");
  },
);

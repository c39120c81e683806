/** S17 and S18 as clients and operators meet them: a database that goes away under a running gateway. */
import { chmodSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { send } from "../src/server/http/http.testkit.ts";
import { runCli } from "./fixtures/gateway-process.ts";
import { openPlace } from "./fixtures/workflow-place.ts";
import { openHttpGateway } from "./rig/http-gateway.ts";
import { modernRequest } from "./rig/http-process.ts";

const CODE = "return 1";

function removeDatabase(home: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(home, `repertoire.db${suffix}`), { force: true });
}

it("S17: nothing is saved into a database that was deleted, and a client that tries is told what to do", async () => {
  const place = openPlace();
  const agent = await place.join();
  const before = await agent.call("execute", { code: CODE, intent: "first" });
  expect(before).toMatchObject({ success: true });
  removeDatabase(join(place.folder, "home"));
  const answers = [
    await agent.call("save_to_library", {
      draft_name: before["draft"],
      final_name: "one",
      description: "One.",
    }),
    await agent.call("execute", { code: "return 2", save_as: "two" }),
  ];
  for (const answer of answers) {
    const told = JSON.stringify(answer);
    expect(answer).toMatchObject({ isError: true });
    expect(told).toContain("restarted");
    expect(told).not.toContain(place.folder);
  }
  expect(agent.stderr()).toContain("STORE_GONE");
});

it("S17: a gateway whose database was replaced is not ready, and lives", async () => {
  const gateway = await openHttpGateway({ config: {} });
  const { headers } = gateway;
  const ask = (path: string) => send(new URL(path, gateway.url), { method: "GET", headers });
  expect(await ask("/health/ready")).toMatchObject({ status: 200 });
  const database = join(gateway.home, "repertoire.db");
  renameSync(database, `${database}.old`);
  const ready = await ask("/health/ready");
  expect(ready).toMatchObject({ status: 503 });
  expect(JSON.parse(ready.text)).toMatchObject({ parts: { store: "failed" } });
  expect(ready.text).not.toContain(gateway.home);
  expect(await ask("/health/live")).toMatchObject({ status: 200 });
  const request = modernRequest(1, "tools/call", { name: "execute", arguments: { code: CODE } });
  const { text } = await send(gateway.url, {
    headers: { ...headers, ...request.headers },
    body: request.body,
  });
  expect(text).toContain("restarted");
  expect(text).not.toContain(gateway.home);
});

describe.skipIf(process.getuid?.() === 0)("S18: doctor on a home that cannot be written", () => {
  it("leaves a sound database where it is", () => {
    const place = openPlace();
    const home = join(place.folder, "home");
    expect(runCli(["list"], { folder: place.folder })).toMatchObject({ status: 0 });
    chmodSync(join(home, "repertoire.db"), 0o400);
    chmodSync(home, 0o500);
    const { stdout } = runCli(["doctor"], { folder: place.folder });
    chmodSync(home, 0o700);
    expect(stdout).toContain("chmod");
    expect(stdout).not.toMatch(/^.*mv .*repertoire\.db/m);
  });
});

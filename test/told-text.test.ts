import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { errorOf, openPlace } from "./fixtures/workflow-place.ts";
import { workflow } from "./fixtures/workflows.ts";

describe("what is told", () => {
  it("T156 and T161: is one line in the log, and has no stack and no path of the gateway's in an error", async () => {
    const place = openPlace({}, { log: { level: "debug" } });
    const agent = await place.join();
    const evil = 'x\r\n{"level":"error","msg":"forged"}\u001B[31m\u2028';
    place.draft("evil", workflow([{ id: "a", type: "notes__complain", params: { text: evil } }]));
    place.draft("broken", "{");
    place.draft("wrong", workflow([{ id: evil, type: evil, params: { [evil]: 1 } }]));
    const requests: Record<string, unknown>[] = [
      { name: "evil", intent: evil },
      { name: "broken" },
      { name: "wrong" },
      { name: evil },
      { resume: evil },
      { resume: `${"0".repeat(8)}-0000-0000-0000-${"0".repeat(12)}` },
      { code: `throw new Error(${JSON.stringify(evil)})` },
      { code: "return 1", inputs: { a: "repertoire://runs/../../etc/passwd" } },
    ];
    for (const args of requests) {
      const answer = await agent.call("execute", args);
      const told = JSON.stringify(answer["error"]);
      expect({ args, isError: answer.isError, code: errorOf(answer)["code"] }).toMatchObject({
        args,
        isError: true,
        code: expect.stringMatching(/^[A-Z_]+$/),
      });
      expect(told).not.toContain(place.folder);
      expect(told).not.toMatch(/\bat .+:\d+:\d+|node_modules|SQLITE|select /i);
    }
    await agent.client.close();
    const lines = agent.stderr().trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(requests.length);
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(agent.stderr()).not.toMatch(/\u001B|\u2028|\r/);
  });

  it("T161: has no path either when a draft cannot be opened", async () => {
    const place = openPlace();
    const socket = createServer().listen(join(place.drafts, "socket.json"));
    onTestFinished(() => void socket.close());
    const agent = await place.join();
    const answer = await agent.call("execute", { name: "socket" });
    expect(answer).toMatchObject({ isError: true, error: { code: "TOOL_EXECUTION_FAILED" } });
    expect(JSON.stringify(answer)).not.toContain(place.folder);
  });
});

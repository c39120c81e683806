import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { keepGreet, openPlace, startRaw } from "./fixtures/workflow-place.ts";
import { GREET, HELD } from "./fixtures/workflows.ts";

it("a client that asks for progress hears of each step of a workflow, and how many there are", async () => {
  const place = openPlace();
  place.draft("greet", GREET);
  // Raw lines: the SDK's client loses progress that arrives in one piece with the answer.
  const gateway = await startRaw(place);
  gateway.call("quiet", "execute", { name: "greet", inputs: { who: "ann" } });
  await gateway.answer("quiet");
  gateway.call("run", "execute", { name: "greet", inputs: { who: "ann" } }, { progressToken: "p" });
  await gateway.answer("run");
  const seen = gateway
    .messages()
    .filter(({ id, method }) => id === "run" || method === "notifications/progress");
  expect(seen).toMatchObject([
    { params: { progressToken: "p", progress: 1, total: 2, message: "hello returned" } },
    { params: { progressToken: "p", progress: 2, total: 2, message: "bye returned" } },
    { id: "run" },
  ]);
});

it("progress comes to a modern client while the run goes on", async () => {
  const place = openPlace();
  place.draft("held", HELD);
  const { client } = await place.join("2026-07-28");
  const heard: unknown[] = [];
  const onprogress = (progress: object) => {
    heard.push(progress);
    writeFileSync(`${place.effectsFile}.go`, "");
  };
  const answer = await client.callTool({ name: "execute", arguments: { name: "held" } }, { onprogress });
  expect(answer.structuredContent).toMatchObject({ success: true });
  expect(heard[0]).toMatchObject({ progress: 1, total: 3, message: "first returned" });
});

it("a workflow that is called as a tool tells its progress as well", async () => {
  const place = openPlace();
  const agent = await place.join();
  await keepGreet(place, agent);
  const gateway = await startRaw(place);
  gateway.call("run", "mcp__workflow__greet", { who: "ann" }, { progressToken: "p" });
  await gateway.answer("run");
  expect(gateway.messages().filter(({ method }) => method === "notifications/progress")).toHaveLength(2);
});

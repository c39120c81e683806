import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ERAS, type Era } from "../fixtures/gateway-process.ts";
import { eventually } from "../fixtures/temporary.ts";
import { connectClient } from "./connect-client.ts";

const EVERYTHING = { command: process.execPath, args: [join(import.meta.dirname, "everything-modern.ts")] };

async function connectEverything(era: Era) {
  const { client, stderr } = await connectClient(era, EVERYTHING);
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { confirm: true } }));
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///rig" }] }));
  client.setRequestHandler("sampling/createMessage", () => ({
    model: "m",
    role: "assistant",
    content: { type: "text", text: "sampled" },
  }));
  const callText = async (name: string, args: Record<string, unknown> = {}) => {
    const { content } = await client.callTool({ name, arguments: args });
    return content[0]?.type === "text" ? content[0].text : undefined;
  };
  return { client, callText, stderr };
}

describe.each(ERAS)("everything, to a client of %s", (era) => {
  test("asks for a confirmation, a sample and the roots", async () => {
    const { callText } = await connectEverything(era);
    expect(await callText("confirm", { question: "sure?" })).toBe('accept {"confirm":true}');
    expect(await callText("ask_model", { prompt: "hi" })).toContain("sampled");
    expect(await callText("list_roots")).toBe("file:///rig");
  });

  test("reports progress and stops when it is cancelled", async () => {
    const { client, callText, stderr } = await connectEverything(era);
    const steps: number[] = [];
    // The SDK drops progress that comes in one chunk with the answer, so the last step may be missing.
    await client.callTool(
      { name: "slow", arguments: { ms: 120, steps: 3 } },
      { onprogress: ({ progress }) => void steps.push(progress) },
    );
    expect(steps.slice(0, 2)).toEqual([1, 2]);
    const cancel = new AbortController();
    // Not before the first step: the SDK's client does not even send a call whose signal aborts in the same tick.
    const slow = client.callTool(
      { name: "slow", arguments: { ms: 10_000, steps: 100 } },
      { signal: cancel.signal, onprogress: () => cancel.abort() },
    );
    await expect(slow).rejects.toThrow();
    await eventually("the end of the cancelled call", () => stderr().includes("slow: cancelled in step"));
    expect(await callText("echo", { text: "still there" })).toBe("still there");
  });

  test("grows, and says so, and announces a change of a resource", async () => {
    const { client, callText } = await connectEverything(era);
    const heard: string[] = [];
    client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void heard.push(params.uri),
    );
    if (era === "2025-11-25") await client.subscribeResource({ uri: "rig://clock" });
    else await client.listen({ toolsListChanged: true, resourceSubscriptions: ["rig://clock"] });
    expect(await callText("grow")).toBe("grown_1");
    expect(await callText("tick")).toBe("ticked");
    await eventually("both notifications", () => heard.length === 2);
    expect(heard).toEqual(["tools", "rig://clock"]);
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("grown_1");
    expect(await callText("grown_1")).toBe("grown_1");
  });

  test("has resources, templates, prompts and completions, and keeps _meta of a tool", async () => {
    const { client } = await connectEverything(era);
    const { tools } = await client.listTools();
    expect(tools.find((tool) => tool.name === "echo")?._meta).toEqual({ "rig/marker": "kept" });
    const { resources } = await client.listResources();
    expect(resources.map((resource) => resource.uri)).toContain("rig://weather/Bern");
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map((template) => template.uriTemplate)).toEqual(["rig://weather/{city}"]);
    const { contents } = await client.readResource({ uri: "rig://weather/Bern" });
    expect(contents).toMatchObject([{ text: "sunny in Bern" }]);
    const prompt = await client.getPrompt({ name: "travel", arguments: { city: "Bern", days: "3" } });
    expect(prompt.messages[0]?.content).toMatchObject({ text: "Plan 3 days in Bern." });
    const ref = { type: "ref/prompt", name: "travel" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "city", value: "ber" } });
    expect(completion.values).toEqual(["Berlin", "Bern"]);
  });

  test("logs to the client that asked for it", async () => {
    const { client } = await connectEverything(era);
    const logged: unknown[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => void logged.push(params.data));
    const _meta = era === "2026-07-28" ? { "io.modelcontextprotocol/logLevel": "debug" } : {};
    await client.callTool({ name: "log", arguments: { message: "m" }, _meta });
    await eventually("the line", () => logged.length === 1);
    expect(logged).toEqual([{ message: "m" }]);
  });
});

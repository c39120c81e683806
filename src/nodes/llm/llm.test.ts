import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { ClientHandle } from "../../core/tool.ts";
import { listen } from "../../net/listen.testkit.ts";
import { createContext, createNode } from "../nodes.testkit.ts";

interface Asked {
  readonly method: string;
  readonly params: JsonObject;
}

function createClient(answer: ToolResult<JsonObject>, capabilities: JsonObject = { sampling: {} }) {
  const asked: Asked[] = [];
  const client: ClientHandle = {
    capabilities,
    gone: new AbortController().signal,
    request: async (method, params) => {
      asked.push({ method, params });
      return answer;
    },
    notify: () => {},
  };
  return { asked, context: createContext({ client }) };
}

const said = (text: string) =>
  succeed<JsonObject>({ role: "assistant", content: { type: "text", text }, model: "m1" });

describe("through the client's sampling", () => {
  const llm = createNode("llm", {});

  test("asks with everything that was given", async () => {
    const { asked, context } = createClient(said("yes"));
    const params = { prompt: "is it?", system: "be short", max_tokens: 50, temperature: 0 };
    expect(await llm.call(params, context)).toEqual(succeed({ text: "yes", model: "m1" }));
    expect(asked).toEqual([
      {
        method: "sampling/createMessage",
        params: {
          messages: [{ role: "user", content: { type: "text", text: "is it?" } }],
          maxTokens: 50,
          systemPrompt: "be short",
          temperature: 0,
        },
      },
    ]);
  });

  test("has limits where none is given or too much is", async () => {
    const { asked, context } = createClient(said(""));
    await llm.call({ prompt: "x" }, context);
    await llm.call({ prompt: "x", max_tokens: 1e9 }, context);
    expect(asked.map(({ params }) => params["maxTokens"])).toEqual([1024, 32_768]);
  });

  test.each([
    ['{"a": 1}', { a: 1 }],
    ["```json\n[1]\n```", [1]],
    ["  null ", null],
  ])("parses %j as JSON", async (text, json) => {
    const { context } = createClient(said(text));
    expect(await llm.call({ prompt: "x", json: true }, context)).toEqual(succeed({ json, model: "m1" }));
  });

  test("says what the model said instead of JSON", async () => {
    const { context } = createClient(said("Sure! Here you go"));
    const result = await llm.call({ prompt: "x", json: true }, context);
    expect(result).toMatchObject({ success: false, error: { reason: "not_json", retryable: true } });
    expect(!result.success && result.error.message).toContain("Sure! Here you go");
  });

  test("joins the blocks of a list, and fails where there is no text", async () => {
    const text = (part: string) => ({ type: "text", text: part });
    const list = createClient(succeed<JsonObject>({ content: [text("a"), { type: "image" }, text("b")] }));
    expect(await llm.call({ prompt: "x" }, list.context)).toEqual(succeed({ text: "ab" }));
    const none = createClient(succeed<JsonObject>({ content: { type: "image" } }));
    expect(await llm.call({ prompt: "x" }, none.context)).toMatchObject({ success: false });
  });

  test("passes on why the client refused", async () => {
    const { context } = createClient(fail("TOOL_EXECUTION_FAILED", "the user said no"));
    const result = await llm.call({ prompt: "x" }, context);
    expect(!result.success && result.error.message).toContain("the user said no");
  });
});

describe("through the endpoint of the config", () => {
  const apiKey = "k".repeat(24);
  const completion = (content: unknown) =>
    JSON.stringify({ model: "m2", choices: [{ message: { content } }] });

  async function createEndpoint(status: number, body: string, key: string = apiKey) {
    const server = await listen((response) => response.writeHead(status, { location: "/other" }).end(body));
    const endpoint = { url: `${server.origin}/v1/?version=2`, model: "m", apiKey: key };
    // Private addresses are not allowed: the configured host is all the same.
    return { server, llm: createNode("llm", { llm: endpoint }) };
  }

  test("asks its chat completions with the key", async () => {
    const { server, llm } = await createEndpoint(200, completion("hello"));
    const { context } = createClient(said("unasked"), {});
    const result = await llm.call({ prompt: "p", system: "s", temperature: 1 }, context);
    expect(result).toEqual(succeed({ text: "hello", model: "m2" }));
    expect(server.seen).toMatchObject([
      {
        method: "POST",
        url: "/v1/chat/completions?version=2",
        headers: { authorization: `Bearer ${apiKey}` },
      },
    ]);
    expect(JSON.parse(server.seen[0]!.body)).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "s" },
        { role: "user", content: "p" },
      ],
      max_tokens: 1024,
      temperature: 1,
    });
  });

  test.each([
    [401, false],
    [429, true],
    [500, true],
    [302, false],
  ])("status %i is a failure, retryable: %s, and never shows the key", async (status, retryable) => {
    const { server, llm } = await createEndpoint(status, `wrong key: ${apiKey} and ${apiKey.slice(0, 8)}`);
    const result = await llm.call({ prompt: "p" }, createContext());
    expect(result).toMatchObject({ success: false, error: { retryable } });
    expect(JSON.stringify(result)).toContain("wrong key");
    expect(JSON.stringify(result)).not.toContain(apiKey);
    expect(server.seen).toHaveLength(1);
  });

  test("a short key does not show either", async () => {
    const { llm } = await createEndpoint(401, "wrong key: zq9", "zq9");
    expect(JSON.stringify(await llm.call({ prompt: "p" }, createContext()))).not.toContain("zq9");
  });

  test.each(["", "<html>", "null", "{}", '{"choices":[]}', completion(null), completion([1])])(
    "%j is no answer",
    async (body) => {
      const { llm } = await createEndpoint(200, body);
      const result = await llm.call({ prompt: "p" }, createContext());
      expect(result).toMatchObject({ success: false, error: { code: "TOOL_EXECUTION_FAILED" } });
    },
  );

  test("ends with the deadline of the run", async () => {
    const server = await listen(() => {});
    const llm = createNode("llm", { llm: { url: server.origin, model: "m" } });
    const result = await llm.call({ prompt: "p" }, createContext({ deadlineAt: performance.now() + 100 }));
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_TIMEOUT" } });
  });
});

test("without either, the failure names both ways", async () => {
  const result = await createNode("llm", {}).call({ prompt: "p" }, createContext());
  expect(result).toMatchObject({ success: false, error: { code: "TOOL_UNAVAILABLE", retryable: false } });
  expect(JSON.stringify(result)).toMatch(/sampling.*workflows\.llm/);
});

/** What a server answers badly, behind the bundle that users get, before the clients of both generations of the SDK. */
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { configOf, connectClient, GENERATIONS, wayTo, type AnyClient } from "./rig/edge-client.ts";
import { startEvilHttp } from "./rig/evil-process.ts";
import type { EvilScript } from "./rig/evil-script.ts";
import { openHttpGateway } from "./rig/http-gateway.ts";
import { ODD_ANSWERS, type AnswerFate } from "./rig/malformed.ts";

const BAD_ANSWERS: EvilScript = {
  era: "legacy",
  tools: Object.keys(ODD_ANSWERS).map((name) => ({ name, inputSchema: { type: "object" } })),
  rules: Object.entries(ODD_ANSWERS).map(([tool, [rawBody]]) => ({ tool, rawBody })),
};

async function expectAnswers(
  client: AnyClient,
  nameOf: (tool: string) => string,
  server: string,
): Promise<void> {
  for (const [tool, [, fate]] of Object.entries(ODD_ANSWERS)) {
    const answer = await client.call(nameOf(tool));
    expect({ tool, ...answer }).toMatchObject({ tool, ...expectedAnswer(fate, server) });
  }
}

function expectedAnswer(fate: AnswerFate, server: string): object {
  if ("content" in fate) return { content: fate.content };
  const error = {
    code: "TOOL_EXECUTION_FAILED",
    reason: fate.reason,
    mayHaveHappened: true,
    retryable: false,
    message: expect.stringContaining(`the server ${server} `),
    hint: expect.stringContaining("may have taken effect"),
  };
  return { isError: true, structuredContent: { error } };
}

const inGateway = (name: string) => `odd__${name}`;

describe("S10, S1, S2: a malformed or bottomless answer", () => {
  it.each(GENERATIONS)("is an error of that call at once, for the %s client", async (generation) => {
    const client = await connectClient(generation, wayTo({ odd: BAD_ANSWERS }, { exposure: "full" }));
    await client.listTools();
    await expectAnswers(client, inGateway, "odd");
    expect(await client.call("fine__echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
  });

  it.each(GENERATIONS)("is the same in a transparent profile, for the %s client", async (generation) => {
    const profiles = { only: { transparent: "odd" } };
    const way = wayTo({ odd: BAD_ANSWERS }, { profiles }, "--profile", "only");
    const client = await connectClient(generation, way);
    await client.listTools();
    await expectAnswers(client, (tool) => tool, "odd");
  });

  it.each(GENERATIONS)("is the same over HTTP, for the %s client", async (generation) => {
    const gateway = await openHttpGateway({ config: configOf({ odd: BAD_ANSWERS }) });
    const client = await connectClient(generation, gateway.url, gateway.headers);
    await expectAnswers(client, inGateway, "odd");
    expect(await client.call("fine__echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
  });
});

const ODD_PAGES: EvilScript = {
  capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
  rules: [
    {
      method: "resources/list",
      result: { resources: ["bare", "deep", "null"].map((name) => ({ name, uri: `odd:///${name}` })) },
    },
    { method: "prompts/list", result: { prompts: [{ name: "p" }] } },
    { method: "resources/read", nth: 1, result: { contents: [{ uri: "odd:///bare" }] } },
    {
      method: "resources/read",
      nth: 2,
      rawBody: `"result":{"contents":[],"a":${"[".repeat(4_500)}${"]".repeat(4_500)}}`,
    },
    { method: "resources/read", nth: 3, result: null },
    {
      method: "prompts/get",
      result: { messages: [{ role: "robot", content: { type: "text", text: "x" } }] },
    },
  ],
};

it.each(GENERATIONS)(
  "S2, S10: resources and prompts fail by themselves, for the %s client",
  async (generation) => {
    const client = await connectClient(generation, wayTo({ odd: ODD_PAGES }, { exposure: "full" }));
    const { resources } = await client.listResources();
    const odd = resources.filter(({ uri }) => uri.startsWith("repertoire://server/odd/"));
    const reasons = await Promise.all([
      ...odd.map(({ uri }) => reasonOf(client.readResource({ uri }))),
      reasonOf(client.getPrompt({ name: "odd__p" })),
    ]);
    expect(reasons.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
      "answer_too_deep",
      "malformed_answer",
      "malformed_answer",
      "malformed_answer",
    ]);
  },
);

async function reasonOf(request: Promise<unknown>): Promise<string | undefined> {
  try {
    await request;
    return undefined;
  } catch (error) {
    return (error as { data?: { reason?: string } }).data?.reason;
  }
}

describe("S10: a malformed answer in code", () => {
  const attempts = failing().map(
    (tool) => `try { await mcp.odd.${tool}({}); } catch (error) { caught.${tool} = error.reason; }`,
  );
  const CODE = `const caught: any = {};\n${attempts.join("\n")}\nreturn caught;`;

  it("is caught by the guest, and every step is closed", async () => {
    const way = wayTo({ odd: BAD_ANSWERS });
    const client = await connectClient("first", way);
    const { structuredContent: told } = await client.call("execute", { code: CODE });
    const reasons = failing().map((tool) => [tool, (ODD_ANSWERS[tool]![1] as { reason: string }).reason]);
    expect(told).toMatchObject({ success: true, outputs: Object.fromEntries(reasons) });
    const store = await openSqliteStore({ home: way.env["REPERTOIRE_HOME"]! });
    onTestFinished(() => store.close());
    const steps = await store.runs.steps(told!["run_id"] as string);
    expect(steps.map(({ status }) => status)).toEqual(failing().map(() => "failed"));
  });
});

function failing(): string[] {
  return Object.keys(ODD_ANSWERS).filter((tool) => "reason" in ODD_ANSWERS[tool]![1]);
}

describe("S9: a line over the limit", () => {
  const MEGABYTE = 1024 * 1024;

  it.each(GENERATIONS)("is an error of that call at once, for the %s client", async (generation) => {
    const rules = [
      { tool: "echo", bigResult: 9 * MEGABYTE },
      { tool: "add", bigResult: 30 * MEGABYTE, idLast: true },
    ];
    const client = await connectClient(generation, wayTo({ odd: { rules } }));
    const countBefore = await client.call("odd__count");
    for (const call of [client.call("odd__echo", { text: "x" }), client.call("odd__add", { a: 1, b: 2 })]) {
      const answer = await call;
      expect(answer).toMatchObject(expectedAnswer({ reason: "answer_too_large" }, "odd"));
      expect(JSON.stringify(answer.structuredContent)).toContain(`${8 * MEGABYTE} bytes`);
    }
    // The same process answers on: the connection stays.
    const { pid } = countBefore.structuredContent as { pid: number };
    expect(await client.call("odd__count")).toMatchObject({ structuredContent: { count: 2, pid } });
  });

  it("without an end closes the connection with that cause, and the next call has a new one", async () => {
    const rules = [{ tool: "echo", endlessLine: 1024 * MEGABYTE }];
    const client = await connectClient("legacy", wayTo({ odd: { rules } }));
    expect(await client.call("odd__echo", { text: "x" })).toMatchObject({
      isError: true,
      structuredContent: {
        error: {
          code: "TOOL_UNAVAILABLE",
          mayHaveHappened: true,
          message: expect.stringContaining("a line far longer than 8388608 bytes"),
        },
      },
    });
    expect(await client.call("fine__echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
    expect(await client.call("odd__count")).toMatchObject({ structuredContent: { count: 1 } });
  });
});

describe("a remote server", () => {
  /** A gateway before the script as a server over HTTP. */
  async function connectRemote(script: EvilScript) {
    const { url } = await startEvilHttp({ era: "legacy", ...script });
    const client = await connectClient("first", wayTo({}, { remote: { odd: { url } } }));
    return { client, url };
  }

  it.each([false, true])("S10, S1, S2: is held to the same bound, with event streams: %s", async (sse) => {
    const { client } = await connectRemote({ ...BAD_ANSWERS, http: { sse, session: true } });
    await expectAnswers(client, inGateway, "odd");
    expect(await client.call("fine__echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
  });

  it.each([
    ["a stream that ends without an answer", { http: { emptySse: true } }, "no_answer"],
    ["an event that is no message", { http: { sse: true }, rawBody: '"result":{' }, "no_answer"],
    ["a body that is no JSON", { http: { body: "{", contentType: "application/json" } }, "malformed_answer"],
    [
      "a body that is no message",
      { http: { body: "[]", contentType: "application/json" } },
      "malformed_answer",
    ],
    ["an answer to nobody", { wrongId: true }, "malformed_answer"],
    ["an answer over 8 MiB", { bigResult: 9_000_000 }, "answer_too_large"],
    ["an event over 8 MiB", { bigResult: 9_000_000, http: { sse: true } }, "answer_too_large"],
  ])("S18: fails a call at once with %s, and its session stays", async (_, fault, reason) => {
    const { client } = await connectRemote({ http: { session: true }, rules: [{ tool: "echo", ...fault }] });
    expect(await client.call("odd__count")).toMatchObject({ structuredContent: { count: 1 } });
    expect(await client.call("odd__echo", { text: "x" })).toMatchObject(expectedAnswer({ reason }, "odd"));
    expect(await client.call("odd__count")).toMatchObject({ structuredContent: { count: 2 } });
  });
});

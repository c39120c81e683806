import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "./fixtures/gateway-process.ts";
import { checkpointOf, keep, openPlace, type Place } from "./fixtures/workflow-place.ts";
import { workflow } from "./fixtures/workflows.ts";

describe("a sensitive input", () => {
  const SECRET = `CANARY~${"ÿ>?/+%".repeat(3)}~${"x".repeat(8)}`;
  const FORMS = [
    SECRET,
    Buffer.from(SECRET).toString("base64").replace(/=+$/, ""),
    Buffer.from(SECRET).toString("base64url"),
    encodeURIComponent(SECRET),
  ];
  const SENSITIVE = { token: { type: "string", sensitive: true } };
  const INNER = workflow([{ id: "said", type: "notes__echo", params: { text: "${word}" } }], {
    inputs: { word: { type: "string" } },
    outputs: { said: { source: "${said}" } },
  });
  /** Through an argument that looks like a header, an echo, a console, a nested workflow, and at last an error. */
  const nodes = [
    { id: "header", type: "notes__add", params: { text: "x", headers: { "X-Trace": "Bearer ${token}" } } },
    { id: "echoed", type: "notes__echo", params: { text: "${token}" } },
    {
      id: "printed",
      type: "code",
      params: {
        code: "console.log(args.word); await mcp.notes.echo({ text: args.word + '!' }); return [args.word, encodeURIComponent(args.word)];",
        inputs: { word: "${token}" },
      },
    },
    { id: "nested", type: "workflow", params: { name: "inner", inputs: { word: "${token}" } } },
    {
      id: "thrown",
      type: "code",
      params: { code: "throw new Error('bad word ' + args.word);", inputs: { word: "${token}" } },
      on_error: "continue",
    },
    { id: "asked", type: "notes__complain", params: { text: "${token}" }, on_error: "continue" },
  ];
  const edges = nodes.slice(1).map((_, at) => ({ from: nodes[at]!.id, to: nodes[at + 1]!.id }));
  const last = { id: "last", type: "notes__fragile", params: { text: "${token}" } };
  const LEAKY = workflow([...nodes, last], {
    inputs: SENSITIVE,
    outputs: { echoed: { source: "${echoed}" }, nested: { source: "${nested}" } },
    edges: [...edges, { from: "asked", to: "last" }],
  });

  function expectClean(what: string, bytes: Buffer): void {
    const found = FORMS.filter((form) => bytes.includes(form));
    expect({ what, found, context: found.map((form) => around(bytes, form)) }).toEqual({
      what,
      found: [],
      context: [],
    });
  }

  function around(bytes: Buffer, form: string): string {
    const at = bytes.indexOf(form);
    return bytes.subarray(Math.max(0, at - 200), at).toString("latin1");
  }

  function expectCleanHome(place: Place): void {
    const entries = globSync("home/**", { cwd: place.folder, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name)).toContain("repertoire.db");
    for (const { parentPath, name } of files) expectClean(name, readFileSync(join(parentPath, name)));
  }

  it("reaches the servers, and no file of the home, no log, trace, checkpoint, error or export", async () => {
    const place = openPlace({}, { log: { level: "debug" } });
    place.draft("inner", INNER);
    place.draft("leaky", LEAKY);
    writeFileSync(`${place.effectsFile}.broken`, "");
    const agent = await place.join();
    await keep(agent, "inner", "inner");
    await keep(agent, "leaky", "leaky");
    const inputs = { token: SECRET };
    const failed = await agent.call("execute", { name: "leaky", inputs, intent: "Leak what can leak" });
    expect(checkpointOf(failed)).toMatchObject({
      completed_nodes: expect.arrayContaining(["nested"]),
      failed_node: "last",
    });
    const throughTool = await agent.call("mcp__workflow__leaky", inputs);
    expect(throughTool).toMatchObject({ isError: true });
    expectClean("failures", Buffer.from(JSON.stringify([failed, throughTool])));
    // It did arrive, or the rest would prove nothing.
    expect(place.effects().filter(({ args }) => args["text"] === SECRET).length).toBeGreaterThan(3);
    expectCleanHome(place);

    const again = await agent.call("execute", { resume: failed["run_id"] });
    expect(again).toMatchObject({
      isError: true,
      error: { reason: "sensitive_input", field: "inputs.token" },
    });
    rmSync(`${place.effectsFile}.broken`);
    const done = await agent.call("execute", { resume: failed["run_id"], inputs });
    // The client that gave the secret gets the answers with it, the recorded ones too.
    expect(done).toMatchObject({ success: true, outputs: { echoed: { said: SECRET } } });

    const { runs } = (await agent.read("repertoire://runs")) as { runs: { run_id: string }[] };
    expect(runs).toHaveLength(3);
    for (const { run_id: id } of runs) {
      const trace = await agent.client.readResource({ uri: `repertoire://runs/${id}` });
      expect(JSON.stringify(trace)).toContain("[sensitive:token]");
      expectClean("trace", Buffer.from(JSON.stringify(trace)));
      const step = await agent.client.readResource({ uri: `repertoire://runs/${id}/echoed` });
      expectClean("step", Buffer.from(JSON.stringify(step)));
    }
    const described = await agent.call("describe_workflow", { name: "leaky" });
    expectClean("description", Buffer.from(JSON.stringify(described)));
    await agent.client.close();
    expect(agent.stderr()).toContain("run.finished");
    expectClean("log", Buffer.from(agent.stderr()));
    expectCleanHome(place);
    const exported = runCli(["export", "out"], { folder: place.folder });
    expect(exported.status).toBe(0);
    const files = globSync("out/**", { cwd: place.folder, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(files.length).toBeGreaterThan(1);
    for (const { parentPath, name } of files) expectClean(name, readFileSync(join(parentPath, name)));
  });

  it("comes back from the journal in the form that a server gave it", async () => {
    const place = openPlace();
    writeFileSync(`${place.effectsFile}.broken`, "");
    const [, echoed] = nodes;
    place.draft(
      "forms",
      workflow([echoed!, last], {
        inputs: SENSITIVE,
        outputs: { forms: { source: "${echoed.forms}" } },
        edges: [{ from: "echoed", to: "last" }],
      }),
    );
    const agent = await place.join();
    const inputs = { token: SECRET };
    expect(await agent.call("execute", { name: "forms", inputs })).toMatchObject({ isError: true });
    rmSync(`${place.effectsFile}.broken`);
    const { outputs } = await agent.call("execute", { resume: "last", inputs });
    expect(outputs).toEqual({
      forms: [
        SECRET,
        Buffer.from(SECRET).toString("base64"),
        Buffer.from(SECRET).toString("base64url"),
        encodeURIComponent(SECRET),
      ],
    });
  });

  it("stays out of the intent that a run is listed with", async () => {
    const place = openPlace();
    place.draft(
      "secret",
      workflow([{ id: "a", type: "notes__add", params: { text: "${token}" } }], { inputs: SENSITIVE }),
    );
    const agent = await place.join();
    await agent.call("execute", {
      name: "secret",
      inputs: { token: SECRET },
      intent: `Log in with ${SECRET}`,
    });
    await agent.client.close();
    expectCleanHome(place);
  });

  it("stays out where it is a part of what was encoded, as in the header of Basic", async () => {
    const place = openPlace();
    const code = "return await mcp.notes.echo({ text: `ann:${args.word}` });";
    const basic = workflow([{ id: "a", type: "code", params: { code, inputs: { word: "${token}" } } }], {
      inputs: SENSITIVE,
    });
    place.draft("basic", basic);
    const agent = await place.join();
    await agent.call("execute", { name: "basic", inputs: { token: SECRET } });
    await agent.client.close();
    const encoded = Buffer.from(`ann:${SECRET}`).toString("base64").slice(8, -4);
    const database = readFileSync(join(place.folder, "home/repertoire.db"));
    expect(database.includes(encoded)).toBe(false);
  });
});

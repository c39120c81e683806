import { readFileSync, globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connect, ERAS, runCli } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { node, openPlace, type Agent, type Place } from "./fixtures/workflow-place.ts";

/** Every secret is a marker; afterwards everything that was written is searched for it. */
it.each(ERAS)("no secret of the config reaches log, answers or home (%s)", async (era) => {
  const folder = temporaryFolder();
  const file = join(folder, "config.json");
  const write = (extra: object) =>
    writeFileSync(
      file,
      JSON.stringify({
        mcpServers: {
          a: { command: "x", args: ["--token=${ARG_TOKEN}"], env: { API_TOKEN: "CANARY-env-literal" } },
          b: {
            url: "https://b.example/mcp?api_key=CANARY-in-query",
            headers: { "X-Api-Key": "${HEADER_KEY}" },
          },
        },
        log: { level: "debug" },
        ...extra,
      }),
    );
  write({});
  const env = { ARG_TOKEN: "CANARY-arg-token", HEADER_KEY: "CANARY-header-key", B_API_KEY: "CANARY-api-key" };
  const { client, stderr } = await connect(era, { folder, args: ["--config", file], env });
  const answers: unknown[] = [await client.listTools()];
  for (const name of [
    "browse_components",
    "list_library",
    "execute",
    "save_to_library",
    "nope",
    "CANARY-arg-token",
  ]) {
    answers.push(await client.callTool({ name, arguments: { query: "b" } }));
  }
  write({ exposure: "lean" });
  await eventually("the reload", () => stderr().includes("config.reloaded"));
  write({ exposure: "CANARY-arg-token", unknown: "CANARY-env-literal" });
  await eventually("the complaint", () => stderr().includes("config.reload.failed"));
  await client.close();

  // The one answer that repeats what the client itself sent is left out.
  expect(JSON.stringify(answers.slice(0, -1))).not.toContain("CANARY");
  expect(stderr()).not.toContain("CANARY");
  const files = globSync("home/**", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  for (const entry of files) {
    expect(readFileSync(join(entry.parentPath, entry.name), "latin1")).not.toContain("CANARY");
  }
});

describe("D9, S18: a secret of the config that its server gives away", () => {
  /** Letters and digits, so that they look the same however the text around them is escaped. */
  const CORES = { env: "CANARYenv7qZx9LmN2", arg: "CANARYarg4wKp8RtB5" };
  const SECRETS = { env: `${CORES.env}"ä/?+~`, arg: `${CORES.arg}-plain` };
  const LEAKY = join(import.meta.dirname, "fixtures/leaky-server.mjs");

  function openLeakyPlace(): Place {
    const leaky = node([LEAKY, "--token", SECRETS.arg], { API_TOKEN: SECRETS.env });
    return openPlace({ leaky }, { log: { level: "debug" }, tools: { suspicious: "warn" } });
  }

  /** What base64 makes of a text behind 0, 1 and 2 bytes, without the digits that its neighbours have a part in. */
  const base64Of = (text: string) =>
    ["", "a", "ab"].map((before) => Buffer.from(`${before}${text}`).toString("base64").slice(4, -4));
  const formsOf = (core: string) => [
    core,
    Buffer.from(core).toString("hex"),
    Buffer.from(core).toString("hex").toUpperCase(),
    ...base64Of(core),
  ];

  function expectClean(what: string, told: unknown): void {
    const text = Buffer.isBuffer(told) ? told.toString("latin1") : JSON.stringify(told);
    const found = Object.values(CORES)
      .flatMap(formsOf)
      .filter((form) => text.includes(form));
    const context = found.map((form) =>
      text.slice(Math.max(0, text.indexOf(form) - 120), text.indexOf(form)),
    );
    expect({ what, found, context }).toEqual({ what, found: [], context: [] });
  }

  function expectCleanHome(place: Place): void {
    const files = globSync("home/**", { cwd: place.folder, withFileTypes: true });
    expect(files.map(({ name }) => name)).toContain("repertoire.db");
    for (const file of files.filter((entry) => entry.isFile())) {
      expectClean(file.name, file.name);
      expectClean(file.name, readFileSync(join(file.parentPath, file.name)));
    }
  }

  /** A program that leaks in every way that it has, and passes the secret on: what it holds is whole. */
  const CODE = `
    const told = await mcp.leaky.tell({});
    console.log("console", told.leak);
    await mcp.leaky.take({ text: told.leak, password: told.leak });
    await mcp.leaky.refuse({}).catch((error) => console.error(error.message));
    END`;

  /** Every way in which a client is told something; returns how often it heard of progress. */
  async function exercise(agent: Agent): Promise<number> {
    const told: [string, unknown][] = [];
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const answer = await agent.client.callTool({ name, arguments: args });
      told.push([`${name} ${JSON.stringify(args).slice(0, 60)}`, answer]);
      return answer.structuredContent as Record<string, unknown>;
    };
    told.push(["tools/list", await agent.client.listTools()]);
    await call("browse_components", { query: "does tell" });
    await call("browse_components", { query: "leaky", server: "leaky" });
    await call("browse_components", { names: ["leaky__tell"] });
    const done = await call("execute", { code: CODE.replace("END", "return told"), intent: "tell it" });
    expect(done).toMatchObject({ success: true, outputs: { leak: expect.stringContaining("[redacted]") } });
    const failed = await call("execute", {
      code: CODE.replace("END", "throw new Error('end ' + told.leak)"),
    });
    expect(failed).toMatchObject({
      success: false,
      error: { message: expect.stringContaining("[redacted") },
    });
    await call("execute", { code: CODE.replace("END", "await mcp.leaky.fail({})") });
    await call("execute", { resume: "last" });
    await call("execute", {
      code: "await mcp.leaky.tell({}); return 1",
      intent: `Use ${SECRETS.arg}`,
      save_as: "kept",
    });
    await call("execute", {
      code: "return (await mcp.leaky.tell({})).leak.length",
      intent: `With ${SECRETS.arg}`,
    });
    await call("mcp__code__kept");
    await call("list_library");
    await call("save_to_library", { name: "nope", description: SECRETS.arg });
    await call("describe_workflow", { name: "nope" });
    for (const tool of ["tell", "refuse", "fail", "report"]) await call(`leaky__${tool}`);
    const progress: unknown[] = [];
    const request = { name: "leaky__report", arguments: {} };
    await agent.client.callTool(request, { onprogress: (note) => progress.push(note) });
    told.push(["progress", progress]);
    for (const list of ["listResources", "listPrompts"] as const)
      told.push([list, await agent.client[list]()]);
    const { resources } = await agent.client.listResources();
    for (const { uri } of resources) told.push([uri, await agent.client.readResource({ uri })]);
    const { prompts } = await agent.client.listPrompts();
    for (const { name } of prompts) told.push([name, await agent.client.getPrompt({ name })]);
    const { runs } = (await agent.read("repertoire://runs")) as { runs: { run_id: string; uri: string }[] };
    expect(runs.length).toBeGreaterThan(4);
    for (const { uri } of runs) {
      told.push([uri, await agent.client.readResource({ uri })]);
      for (const step of ["1", "3", "outputs"]) {
        const read = await agent.client
          .readResource({ uri: `${uri}/${step}` })
          .catch((error: Error) => error.message);
        told.push([`${uri}/${step}`, read]);
      }
    }
    for (const [what, answer] of told) expectClean(what, answer);
    return progress.length;
  }

  it.each(ERAS)("is in no answer, resource, notification, log or file of the home (%s)", async (era) => {
    const place = openLeakyPlace();
    const agent = await place.join(era);
    const notices: unknown[] = [];
    agent.client.setNotificationHandler("notifications/message", (notice) => void notices.push(notice));
    const progressCount = await exercise(agent);
    await agent.client.close();
    // A modern client that did not ask for them hears neither.
    if (era === "2025-11-25") expect([progressCount, notices.length > 0]).toEqual([1, true]);
    expectClean("notifications", notices);
    expect(agent.stderr()).toContain("run.finished");
    expectClean("log", agent.stderr());
    expectCleanHome(place);
  });

  it("an input called password is shown in no step, error, log, checkpoint or name of the run", async () => {
    const place = openLeakyPlace();
    const agent = await place.join();
    const inputs = { user: "ann", login: { password: `${CORES.env}-pass` } };
    const request = {
      code: `console.log("with", args.login.password);
        await mcp.leaky.take({ text: "x" + args.login.password });
        await mcp.leaky.take({ list: [JSON.stringify(args.login)] });
        throw new Error("not with " + encodeURIComponent(args.login.password));`,
      inputs,
      intent: `Log in with ${inputs.login.password}`,
      calls: true,
    };
    const failed = await agent.call("execute", request);
    expect(failed).toMatchObject({ success: false, calls: [{ success: true }, { success: true }] });
    const again = await agent.call("execute", { resume: failed["run_id"] });
    expect(again).toMatchObject({ success: false, logs: [{ message: "with [redacted]" }] });
    const corrected = { resume: again["run_id"], code: "return args.login.password.length" };
    expect(await agent.call("execute", corrected)).toMatchObject({ outputs: inputs.login.password.length });
    const kept = { ...request, code: "return 1", intent: request.intent };
    const { draft } = await agent.call("execute", kept);
    expect(draft).toMatch(/^log-in-with-[0-9a-f]{8}$/);
    const told: unknown[] = [failed, again, await agent.read("repertoire://runs")];
    for (const id of [failed["run_id"], again["run_id"]] as string[]) {
      for (const step of ["", "/1", "/2"]) told.push(await agent.read(`repertoire://runs/${id}${step}`));
    }
    expectClean("all", told);
    await agent.client.close();
    expectClean("log", agent.stderr());
    expectClean("runs", runCli(["show", "last", "--config", place.config], { folder: place.folder }));
  });

  it("reaches the server that a program passes it on to, and no line of the command line", () => {
    const place = openLeakyPlace();
    const cli = (...args: string[]) => runCli([...args, "--config", place.config], { folder: place.folder });
    const code = join(place.folder, "leak.ts");
    writeFileSync(
      code,
      CODE.replace("END", "return (await mcp.leaky.take({ text: told.leak })).args.text.length"),
    );
    const { stdout } = cli("run", code, "--json");
    // In the hands of the program and of the other tool it was whole: no mark is that long.
    expect((JSON.parse(stdout) as { outputs: number }).outputs).toBeGreaterThan(800);
    const commands = [
      ["call", "leaky__tell"],
      ["call", "leaky__refuse", "--json"],
      ["call", "leaky__fail"],
      ["runs", "--json"],
      ["show", "last"],
      ["show", "last", "--json"],
      ["servers", "--check", "--json"],
      ["doctor"],
      ["describe", "leaky__tell"],
    ];
    for (const command of commands) {
      const ended = cli(...command);
      expect(ended.stderr).not.toMatch(/unknown (?:command|option)/);
      expectClean(command.join(" "), ended);
    }
    expectCleanHome(place);
  });
});

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestRuns, type TestRuns } from "../runs.testkit.ts";
import { checkSensitive, createSeal, sensitiveValues, stillSealed } from "./seal.ts";

const SECRET = `p"/ä+${"7qZ".repeat(8)}`;
const ROTATED = `other${"9wX".repeat(8)}`;

/** The ways in which a value must not be found. */
const formsOf = (secret: string): string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  Buffer.from(secret).toString("base64url"),
];

describe("a seal", () => {
  it("takes a value out wherever it stands, and puts it back", () => {
    const seal = createSeal([{ name: "key", value: SECRET }]);
    const value = { header: `Bearer ${SECRET}`, list: [SECRET, 1, null, true], [SECRET]: { deep: SECRET } };
    const closed = seal.close(value);
    expect(closed).toEqual({
      header: "Bearer [sensitive:key]",
      list: ["[sensitive:key]", 1, null, true],
      "[sensitive:key]": { deep: "[sensitive:key]" },
    });
    expect(seal.open(closed)).toEqual(value);
  });

  it.each([
    ["base64", Buffer.from(SECRET).toString("base64")],
    ["base64url", Buffer.from(SECRET).toString("base64url")],
    ["a URL", encodeURIComponent(SECRET)],
    ["a text of JSON", JSON.stringify({ key: SECRET })],
  ])("knows a value in %s, and gives it back written in the same way", (_, text) => {
    const seal = createSeal([{ name: "key", value: SECRET }]);
    const closed = seal.close(`<${text}>`);
    expect(closed).toContain("[sensitive:key");
    for (const form of formsOf(SECRET)) expect(closed).not.toContain(form);
    expect(seal.open(closed)).toBe(`<${text}>`);
  });

  it.each(["", "a", "ab", "abc", "user:"])(
    "knows a value in base64 behind %j, as in a Basic header",
    (before) => {
      const header = Buffer.from(`${before}${SECRET} and more`).toString("base64");
      expect(createSeal([{ name: "key", value: SECRET }]).text(header)).toContain("[sensitive:key");
    },
  );

  it("leaves no rest of a value that contains another, in whatever order they are given", () => {
    const values = [
      { name: "short", value: "abcd" },
      { name: "long", value: "xxabcdxx" },
    ];
    for (const given of [values, values.toReversed()]) {
      expect(createSeal(given).text("xxabcdxx abcd")).toBe("[sensitive:long] [sensitive:short]");
    }
  });

  it("leaves no text with the value in it, whatever the value and the text", () => {
    const secrets = fc
      .string({ minLength: 4 })
      .filter((secret) => !"[sensitive:key|base64url]".includes(secret));
    fc.assert(
      fc.property(fc.string(), fc.string(), secrets, (before, after, secret) => {
        const seal = createSeal([{ name: "key", value: secret }]);
        const closed = seal.close({ text: `${before} ${secret} ${after}` });
        expect(closed.text).toContain("[sensitive:key");
        expect(seal.open(closed).text.length).toBeGreaterThanOrEqual(secret.length);
      }),
    );
  });

  it("without values gives back the very same object", () => {
    const value = { a: 1 };
    expect(createSeal([]).close(value)).toBe(value);
  });

  it("replaces a value with $& in it by itself", () => {
    const seal = createSeal([{ name: "key", value: "$&$1$`" }]);
    expect(seal.open(seal.close({ a: "$&$1$`" }))).toEqual({ a: "$&$1$`" });
  });
});

describe("sensitive inputs", () => {
  it("are own properties that are texts; what came from above stays", () => {
    const above = [{ name: "token", value: SECRET }];
    const inputs = { key: SECRET, count: 7, empty: "" };
    const sensitive = ["key", "count", "empty", "toString", "missing"];
    expect(sensitiveValues({ inputs, sensitive }, above)).toEqual([{ name: "key", value: SECRET }, ...above]);
  });

  it("shorter than 4 characters are refused, with their length and never their value", () => {
    const checked = checkSensitive({ inputs: { pin: "98z" }, sensitive: ["pin"] });
    expect(checked).toMatchObject({
      success: false,
      error: { field: "inputs.pin", reason: "sensitive_input" },
    });
    expect(JSON.stringify(checked)).not.toContain("98z");
    expect(checkSensitive({ inputs: { pin: "98zx" }, sensitive: ["pin"] }).success).toBe(true);
  });
});

describe("a secret of the config", () => {
  const sealWith = (secrets: string[], seed = "seed") => createSeal([], { secrets, seed });

  it("D9: is taken out and put back in every form, under a mark that tells nothing of it", () => {
    const seal = sealWith(["another-secret", SECRET]);
    for (const form of [...formsOf(SECRET), Buffer.from(SECRET).toString("hex")]) {
      const closed = seal.close({ text: `<${form}>` });
      expect(closed.text).toMatch(/^<\[redacted:[0-9a-f]{8}(\|[a-z0-9+-]+)?\]/);
      expect(seal.open(closed)).toEqual({ text: `<${form}>` });
    }
    expect(seal.text(SECRET)).not.toBe(sealWith([SECRET], "other seed").text(SECRET));
  });

  it("stays a mark where the config no longer has it, and no other secret takes its place", () => {
    const closed = sealWith([SECRET]).close({ a: SECRET, b: "x" });
    const opened = sealWith(["another-secret"]).open(closed);
    expect(opened).toEqual(closed);
    expect(stillSealed(opened)).toEqual(["a"]);
  });

  it("does not make a call another one: it is the same before the secret was known", () => {
    const args = { text: SECRET };
    expect(sealWith([SECRET]).identify(args)).toBe(args);
  });
});

describe("a run with a sensitive input", () => {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
  const CODE = `
    console.log("with " + args.key);
    const login = await mcp.vault.login({ key: args.key, url: "https://x/?k=" + encodeURIComponent(args.key) });
    await mcp.vault.login({ text: JSON.stringify({ key: args.key }), basic: login.basic, from: login.key });
    try { await mcp.vault.refuse({ key: args.key }) } catch {}
    await mcp.vault.login({ n: 3 });
    END`;
  let kit: TestRuns;
  let made: Record<string, unknown>[] = [];

  beforeAll(async () => {
    kit = await createTestRuns(folder);
    kit.addSource("vault", {
      login(args) {
        made.push(args);
        return { ...args, basic: Buffer.from(String(args["key"])).toString("base64") };
      },
      refuse: ({ key }) => ({ isError: true, content: [{ type: "text", text: `${String(key)} is wrong` }] }),
    });
  });
  afterAll(async () => {
    await kit.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    made = [];
  });

  const run = (end: string, key = SECRET) =>
    kit.execute(CODE.replace("END", end), { inputs: { key, other: 1 }, sensitive: ["key"] });
  const stored = () => Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));

  it("leaves its value in no byte of the store and its log, in no form", async () => {
    const report = await run(`throw new Error("failed with " + args.key)`);
    expect(report.result.success).toBe(false);
    await run("return { key: args.key }");
    const bytes = stored();
    expect(bytes.includes("[sensitive:key]")).toBe(true);
    for (const form of formsOf(SECRET)) expect(bytes.includes(form), form).toBe(false);
  });

  it("tells its value in no error, log line or checkpoint", async () => {
    const report = await run(`throw new Error("failed with " + args.key)`);
    const told = JSON.stringify(report);
    for (const form of formsOf(SECRET)) expect(told).not.toContain(form);
  });

  it("asks for it again by name, and has the others", async () => {
    const failed = await run("null.length");
    await expect(kit.resume(failed.runId!)).rejects.toThrow("sensitive_input: key is sensitive");
    const resumed = await kit.resume(failed.runId!, {
      inputs: { key: SECRET },
      corrected: { kind: "code", source: CODE.replace("END", "return [args.key === login.key, args.other]") },
    });
    expect(resumed.result).toEqual({ success: true, data: [true, 1] });
    expect(made).toHaveLength(3);
  });

  it("knows its steps again when the secret has changed, and answers with the new one", async () => {
    const failed = await run("null.length");
    const resumed = await kit.resume(failed.runId!, {
      inputs: { key: ROTATED },
      corrected: { kind: "code", source: CODE.replace("END", "return login.key === args.key") },
    });
    expect(resumed.result).toEqual({ success: true, data: true });
    expect(made).toHaveLength(3);
    for (const form of formsOf(ROTATED)) expect(stored().includes(form), form).toBe(false);
  });

  it("goes on with what was made of the value, and not with the value in its place", async () => {
    const failed = await run("null.length");
    await kit.resume(failed.runId!, {
      inputs: { key: SECRET },
      corrected: {
        kind: "code",
        source: CODE.replace("END", "return await mcp.vault.login({ last: login.basic })"),
      },
    });
    expect(made.at(-1)).toEqual({ last: Buffer.from(SECRET).toString("base64") });
  });

  it("runs nothing with a value that is too short to be kept out", async () => {
    const report = await run("return 1", "abc");
    expect(report).toMatchObject({
      runId: null,
      result: { success: false, error: { reason: "sensitive_input" } },
    });
    expect(made).toEqual([]);
  });
});

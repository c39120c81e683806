import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { createTypeCheck, type TypeCheck, type TypeVerdict } from "./type-check.ts";

let checkCount = 0;

/** Checks code that was never checked before: what is known already needs no process. */
function check(types: TypeCheck, code: string): Promise<TypeVerdict> {
  const checked = `(async () => {\n${code}\n})(); // ${checkCount++}`;
  return types.check({ checked, declarations: "", calls: [] });
}

/** The compilers among the children of a process. A child that ended and was waited for is not listed. */
function compilersOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, state, ppid] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))!;
        return (
          Number(ppid) === parent &&
          state !== "Z" &&
          readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--api")
        );
      } catch {
        return false;
      }
    });
}
/** Types that count for many seconds: each of these is a union of 32,768 texts. */
const HOSTILE = `type Words<N extends any[], W extends string = ""> =
  N extends [any, ...infer Rest] ? Words<Rest, \`\${W}a\`> | Words<Rest, \`\${W}b\`> : W;
  ${Array.from({ length: 60 }, (_, i) => `let w${i}: Words<[${"1,".repeat(15)}], "${i}"> = "";`).join("\n")}`;

describe.skipIf(process.platform !== "linux")("the compiler's process", () => {
  let types: TypeCheck | undefined;
  afterEach(() => types?.close());
  const others = new Set<number>();
  const own = (): number[] => compilersOf(process.pid).filter((pid) => !others.has(pid));
  const create = (options = {}): TypeCheck => {
    for (const pid of compilersOf(process.pid)) others.add(pid);
    types = createTypeCheck(options);
    return types;
  };

  it("is killed when it overruns, and the next check has a new one", async () => {
    const check300 = create({ budgetMs: 300 });
    check300.warm();
    const [first] = own();
    expect(await check(check300, HOSTILE)).toEqual({
      kind: "unchecked",
      reason: "The types were not checked: the compiler took longer for one check than 300 ms.",
    });
    expect(own()).toEqual([]);
    expect(await check(check300, "return 1;")).toEqual({ kind: "checked", complaints: [] });
    expect(own()).toHaveLength(1);
    expect(own()).not.toContain(first);
  });

  it("is killed when it grows beyond its memory", async () => {
    const verdict = await check(create({ budgetMs: 20_000, memoryBytesMax: 90_000_000 }), HOSTILE);
    expect(verdict).toEqual({
      kind: "unchecked",
      reason: "The types were not checked: the compiler took more memory than 90 MB.",
    });
    expect(own()).toEqual([]);
  });

  it("costs the check under way when it dies, and no other", async () => {
    const dying = create({ budgetMs: 20_000 });
    expect((await check(dying, "return 1;")).kind).toBe("checked");
    const underWay = check(dying, HOSTILE);
    const after = check(dying, "return 1;");
    process.kill(own()[0]!, "SIGKILL");
    expect(await underWay).toEqual({
      kind: "unchecked",
      reason: "The types were not checked: the compiler ended with SIGKILL.",
    });
    expect((await after).kind).toBe("checked");
    process.kill(own()[0]!, "SIGKILL");
    await check(dying, "return 1;");
    expect((await check(dying, "return 1;")).kind).toBe("checked");
  });

  it("is gone after close, which ends what is under way and waiting", async () => {
    const closing = create({ budgetMs: 20_000 });
    await check(closing, "return 1;");
    const verdicts = Promise.all([check(closing, HOSTILE), check(closing, "return 1;")]);
    expect(own()).toHaveLength(1);
    await closing.close();
    expect(own()).toEqual([]);
    expect((await verdicts).map(({ kind }) => kind)).toEqual(["unchecked", "unchecked"]);
    closing.warm();
    expect(await check(closing, "return 1;")).toEqual({
      kind: "unchecked",
      reason: "The type check is closed.",
    });
    expect(own()).toEqual([]);
  });

  it("is not asked again about the same code against the same tools", async () => {
    const remembering = create();
    const request = { checked: "const n: number = 'x';", declarations: "", calls: [] };
    const first = await remembering.check(request);
    expect(first).toMatchObject({ kind: "checked", complaints: [{ code: 2322 }] });
    process.kill(own()[0]!, "SIGKILL");
    expect(await remembering.check({ ...request })).toBe(first);
  });

  const host = (what: string, file = new URL("type-check.ts", import.meta.url).href): string[] => [
    "--input-type=module",
    "-e",
    `import { createTypeCheck } from ${JSON.stringify(file)};
    const types = createTypeCheck({ budgetMs: 60_000 });
    const check = (checked) => types.check({ checked, declarations: "", calls: [] });
    const { kind, reason = "" } = await check("1");
    console.log(kind, reason);
    ${what}`,
  ];

  it("does not keep the process alive when it is idle", () => {
    expect(execFileSync(process.execPath, host(""), { encoding: "utf8", timeout: 20_000 })).toBe(
      "checked \n",
    );
  });

  it("says so when the compiler is not installed", () => {
    const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
    cpSync(join(import.meta.dirname, "../.."), folder, {
      recursive: true,
      filter: (path) =>
        !path.endsWith(".ts") ||
        /\/(sandbox|sandbox\/types|sandbox\/runner|core|text|timing|process)\/[^/]*\.ts$/.test(path),
    });
    const file = pathToFileURL(join(folder, "sandbox/types/type-check.ts")).href;
    const said = execFileSync(process.execPath, host("types.warm();", file), {
      encoding: "utf8",
      timeout: 20_000,
    });
    rmSync(folder, { recursive: true });
    expect(said).toMatch(
      /^unchecked The types were not checked: the package typescript .* is not installed\.$/m,
    );
  });

  it.each([
    ["idle", "setInterval(() => {}, 1000); console.log('now');"],
    ["busy", `check(${JSON.stringify(HOSTILE)}); setTimeout(() => console.log('now'), 200);`],
  ])("ends when the gateway is killed while it is %s", async (_, what) => {
    const gateway = spawn(process.execPath, host(what), { stdio: ["ignore", "pipe", "inherit"] });
    for await (const chunk of gateway.stdout) if (String(chunk).includes("now")) break;
    const [pid] = compilersOf(gateway.pid!);
    expect(pid).toBeGreaterThan(0);
    gateway.kill("SIGKILL");
    await expect.poll(() => isRunning(pid!), { timeout: 5_000, interval: 20 }).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

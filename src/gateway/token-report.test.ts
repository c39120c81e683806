import { afterAll, expect, it } from "vitest";
import { contextOf, createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import { silentLog } from "../core/log.ts";
import { fail } from "../core/result.ts";
import { EXECUTE_TOKENS } from "./finding-cost.ts";
import { createGateway } from "./whole-gateway.ts";
import { openProfileRig } from "./profiles/profile.testkit.ts";
import { createTokenCounts } from "./token-counts.ts";
import { createTokenReports, queriesOf, type TokenReportDeps } from "./token-report.ts";
import { createTokenThread } from "../search/tokens/token-thread.ts";
import { listTools } from "./list-all.ts";

const thread = createTokenThread({ lingerMs: 60_000 });
afterAll(() => thread.close());

/** Two servers that are known, and one that was never asked. */
async function openRig(profiles: ReturnType<TokenReportDeps["profiles"]> = {}) {
  const rig = await openProfileRig();
  const late = createFixtureSource("late", [toolOf("one", "Does one thing."), toolOf("two")]);
  rig.registry.add(late);
  const gateway = {
    ...rig.deps,
    servers: () => ["files", "late", "notes"],
    exposure: () => "auto" as const,
  };
  const counts = createTokenCounts({ store: rig.store, log: silentLog, thread });
  const reports = createTokenReports({ gateway, counts, profiles: () => profiles });
  const core = createGateway({ ...gateway, exposure: () => "full" });
  return { ...rig, ...reports, core, late, counts };
}

it("says what each server costs, its dearest tools first, and starts nothing", async () => {
  const { weighTools, tokensOfServer, late } = await openRig();
  const report = await weighTools();
  expect(report).toMatchObject({
    tokenizer: "o200k_base",
    unread: [{ id: "late" }],
  });
  expect(report.servers.map(({ id, toolCount }) => [id, toolCount])).toEqual([
    ["files", 1],
    ["notes", 2],
  ]);
  const notes = report.servers[1]!;
  expect(notes.tools.map(({ tokens }) => tokens)).toEqual(
    notes.tools.map(({ tokens }) => tokens).sort((a, b) => b - a),
  );
  expect(notes.tokens).toBe(notes.tools.reduce((total, { tokens }) => total + tokens, 0));
  expect(notes.meanTokens).toBe(Math.round(notes.tokens / 2));
  expect(await tokensOfServer("notes")).toEqual(notes);
  expect(await tokensOfServer("late")).toBeUndefined();
  expect(await tokensOfServer("nobody")).toBeUndefined();
  expect(late.listCount).toBe(0);
  expect(await weighTools()).toEqual(report);
});

it("asks the servers that were never read where that is wanted, and names those that fail", async () => {
  const { weighTools, late } = await openRig();
  late.onList = async () => fail("TOOL_UNAVAILABLE", "It does not start.");
  expect((await weighTools({ start: true })).unread).toEqual([{ id: "late", reason: "It does not start." }]);
  const other = await openRig();
  const report = await other.weighTools({ start: true });
  expect(report.unread).toEqual([]);
  expect(report.servers.map(({ id }) => id)).toEqual(["files", "late", "notes"]);
});

it("adds up what a conversation starts with, and what searching costs on top", async () => {
  const { weighTools, core, counts } = await openRig();
  const [gateway] = (await weighTools({ start: true })).faces;
  const { lean, full, search, toolTokens, toolCount } = gateway!;
  const listed = await listTools(core);
  const tokens = await counts.countOf(listed);
  expect(full).toEqual({ startTokens: tokens.reduce((a, b) => a + b, 0), taskTokens: 0 });
  expect(lean).toEqual({
    startTokens: full.startTokens - toolTokens,
    taskTokens: search.tokens + EXECUTE_TOKENS,
  });
  expect([toolCount, search.queryCount]).toEqual([5, 5]);
  expect(search.tokens).toBeGreaterThan(50);
});

it("says of the gateway and each profile which mode is in force, and why", async () => {
  const { weighTools, registry } = await openRig({
    small: { servers: ["files"] },
    always: { exposure: "full" },
    never: { exposure: "lean", tools: { allow: ["execute", "notes__*"] } },
    renamed: { servers: ["files"], describe: { files__read: "Reads a whole file, slowly and with care." } },
    alone: { transparent: "notes" },
    empty: { servers: [] },
    large: { servers: ["big", "files"] },
  });
  const texts = Array.from({ length: 30 }, (_, at) => toolOf(`t${at}`, `word${at} `.repeat(900)));
  registry.add(createFixtureSource("big", texts));
  await registry.discover({ waitMs: 5_000, servers: ["big"] }, contextOf());
  const { faces } = await weighTools();
  expect(faces.map(({ profile, exposure, mode }) => [profile, exposure, mode])).toEqual([
    // One server has not been read.
    [null, "auto", "lean"],
    ["small", "auto", "full"],
    ["always", "full", "full"],
    ["never", "lean", "lean"],
    ["renamed", "auto", "full"],
    ["alone", "transparent", "transparent"],
    ["empty", "auto", "full"],
    ["large", "auto", "lean"],
  ]);
  const [gateway, small, always, never, renamed, alone, empty, large] = faces;
  const limitOf = ({ autoTokensMax }: { readonly autoTokensMax: number }) =>
    `the ${autoTokensMax.toLocaleString("en-US")} that finding them by search costs at most`;
  expect(gateway!.why).toBe(
    "auto leaves the tools of servers to the search, because it does not know those of late yet.",
  );
  expect(small!.why).toBe(
    `auto shows every tool: their ${small!.toolTokens} tokens are no more than ${limitOf(small!)}.`,
  );
  const figures = large!.toolTokens.toLocaleString("en-US");
  expect(large!.why).toBe(
    `auto leaves the tools of servers to the search: their ${figures} tokens are more than ${limitOf(large!)}.`,
  );
  expect(always!.why).toBe("The config says full: every tool is shown.");
  expect(never!.why).toBe("The config says lean: the tools of servers are found by search.");
  expect(never!.lean).not.toHaveProperty("taskTokens");
  expect(renamed!.toolTokens).toBeGreaterThan(small!.toolTokens);
  expect(alone!.why).toBe("It fronts the server notes alone, as it is.");
  expect(alone!.toolTokens).toBeLessThan(always!.toolTokens);
  expect(empty!.why).toContain("auto shows every tool: their 0 tokens are no more than");
  expect(gateway!.search.queryCount).toBe(10);
});

it("makes the same queries of the same tools, from descriptions or else from names", () => {
  expect(queriesOf([])).toEqual([]);
  expect(
    queriesOf([
      toolOf("a", "Lists all the open issues of one repository on GitHub, newest first. Slow."),
      toolOf("srv__find-user_by_id"),
      toolOf("c", "課題を作成します"),
      toolOf("d", "  \n "),
    ]),
  ).toEqual(["Lists all the open issues of one repository", "srv find user by id", "課題を作成します", "d"]);
  const many = Array.from({ length: 1_000 }, (_, at) => toolOf(`t${at}`, `Tool ${at}`));
  expect(queriesOf(many)).toHaveLength(10);
  expect(queriesOf(many)[0]).toBe("Tool 50");
});

/** A home as a team would have it after a day, for the screens of the console and their pictures. Everything in it was really done. */
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import { DEFAULT_SCOPE } from "../../src/core/names.ts";
import type { RunStatus, Store } from "../../src/core/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { eventually, eventuallyAsync } from "../fixtures/temporary.ts";
import { linesOf, openStand, type ConsoleStand, type StandClient } from "./console-stand.ts";
import type { Place } from "./http-process.ts";

const SERVER = join(import.meta.dirname, "console-demo-server.mjs");
const HOUR_MS = 3_600_000;
const LAST_CALL = "mcp__reports__bug_digest";

export interface Demo extends ConsoleStand {
  /** By what there is to see of them. */
  readonly runs: Readonly<Record<"succeeded" | "failed" | "paused" | "interrupted" | "workflow", string>>;
  readonly item: string;
}

const SERVERS = ["github", "mail", "calendar", "files"] as const;
const EFFECTS = {
  "list_*": "read",
  "get_*": "read",
  "read_*": "read",
  "search*": "read",
  "create_*": "write",
  "write_*": "write",
  send: "write",
};

const configOf = () => ({
  mcpServers: {
    ...Object.fromEntries(
      SERVERS.map((name) => [name, { command: `${name}-mcp`, tools: { effects: EFFECTS } }]),
    ),
    calendar: { command: "calendar-mcp", tools: { effects: EFFECTS }, trust: "scan" },
    jira: { command: "jira-mcp", env: { JIRA_TOKEN: "${input:jira_token}" } },
    warehouse: { command: "warehouse-mcp", args: ["--read-only"] },
  },
  rules: [
    { tool: "mail__send", do: "ask", why: "Mail leaves the house." },
    { tool: "github__merge_pull_request", who: "token:ci", do: "refuse", why: "Only people merge." },
    { tool: "github__search_*", do: "allow", limit: "30/min", why: "The quota of the search." },
  ],
  profiles: {
    support: { servers: ["mail", "calendar"] },
    readers: { tools: { allow: ["github__list_*", "files__read_file"] } },
  },
  calls: { arguments: true },
  exposure: "lean",
});

const DIGEST = `// The open bugs of the week, as one page.
const { issues } = await mcp.github.list_issues({ repo: "acme/web", label: "bug" });
const details = [];
for (const { number } of issues) {
  details.push(await mcp.github.get_issue({ repo: "acme/web", number }));
}
console.log(\`\${details.length} bugs\`);
const text = details.map(({ number, title, author }) => \`- #\${number} \${title} (\${author})\`).join("\\n");
await mcp.files.write_file({ path: "docs/bugs.md", text });
return { bugs: details.length, file: "docs/bugs.md" };`;

const TITLES = `// inputs: repo, word
const { issues } = await mcp.github.list_issues({ repo: args.repo });
return issues.filter(({ title }) => title.toLowerCase().includes(args.word.toLowerCase()));`;

const AGENDA = `const { events } = await mcp.calendar.list_events({ day: args.day });
return events.map(({ at, title }) => \`\${at} \${title}\`);`;

const BOUNCE = `const { messages } = await mcp.mail.search({ query: "from:ines after:monday" });
const day = await mcp.calendar.list_events({ day: "2026-03-05" });
if (day.events.length > 1) throw new Error("The release review is on the same day: choose another one");
return messages;`;

const INVITE = `const day = await mcp.calendar.list_events({ day: "2026-03-05" });
const notes = await mcp.files.read_file({ path: "docs/release-notes.md" });
return await mcp.mail.send({
  to: "team@acme.example",
  subject: "Release on Thursday",
  body: \`\${notes.text}\\nThe review is at \${day.events.at(-1).at}.\`,
});`;

const MERGE = `const found = await mcp.github.search_code({ query: "filter repo:acme/web" });
const issue = await mcp.github.create_issue({ repo: "acme/web", title: "Search forgets the last filter", labels: ["bug"] });
const merged = await mcp.github.merge_pull_request({ repo: "acme/web", number: 4127 });
return { issue: issue.number, files: found.files, merged };`;

const WORKFLOW = {
  ir_version: "1.0",
  nodes: [
    { id: "issues", type: "github__list_issues", params: { repo: "acme/web", label: "triage" } },
    { id: "today", type: "calendar__list_events", params: { day: "2026-03-05" } },
    {
      id: "note",
      type: "files__write_file",
      params: { path: "docs/triage.md", text: "${issues.issues} ${today.events}" },
    },
  ],
  edges: [
    { from: "issues", to: "note" },
    { from: "today", to: "note" },
  ],
};

/** The gateway runs in it. It has been killed once, in the middle of a run. */
export async function openDemo(): Promise<Demo> {
  const stand = await openStand(prepare);
  try {
    const morning = await workBefore(stand);
    await killInTheMiddle(stand);
    writeFileSync(join(stand.place.folder, "calendar.changed"), "");
    await stand.startAgain();
    return { ...stand, runs: { ...morning, ...(await workAfter(stand)) }, item: "reports:bug_digest" };
  } catch (error) {
    await stand.close();
    throw error;
  }
}

async function prepare(place: Place): Promise<void> {
  writeFileSync(place.configFile, JSON.stringify(configOf()));
  installServers(place);
  place.tokenFor("ci", ["read", "call"], { effects: ["read", "write"] });
  place.tokenFor("support-desk", ["read", "call", "write"], { profiles: ["support"] });
  await writeHistory(place.home);
  const drafts = join(place.home, "drafts");
  mkdirSync(drafts, { recursive: true, mode: 0o700 });
  writeFileSync(join(drafts, "triage.json"), JSON.stringify(WORKFLOW));
}

async function workBefore(stand: ConsoleStand) {
  const claude = await stand.join("claude-code");
  const cursor = await stand.join("cursor");
  const succeeded = await execute(claude, DIGEST, "Collect the open bugs of the week", {
    save_as: "reports:bug_digest",
  });
  await execute(cursor, TITLES, "Find issues by a word of their title", {
    inputs: { repo: "acme/web", word: "filter" },
    save_as: "issues:by_title",
  });
  await execute(cursor, AGENDA, "The agenda of a day", {
    inputs: { day: "2026-03-05" },
    save_as: "day:agenda",
  });
  const failed = await execute(cursor, BOUNCE, "Find a day for the release");
  const workflow = await execute(claude, undefined, "Triage of the day", { name: "triage" });
  await claude.call("files__list_directory", { path: "." });
  await cursor.call("mail__search", { query: "subject:release" });
  return { succeeded, failed, workflow };
}

async function workAfter(stand: ConsoleStand) {
  const claude = await stand.join("claude-code");
  const paused = await execute(claude, INVITE, "Invite the team to the release review");
  await claude.call(LAST_CALL);
  return { paused, interrupted: await interruptedRun(stand.place.home) };
}

/** As programs on the path, so that no picture shows a folder of this machine. */
function installServers({ folder }: Place): void {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const name of SERVERS) {
    const line = [process.execPath, SERVER, name, folder].map((word) => `'${word}'`).join(" ");
    writeFileSync(join(bin, `${name}-mcp`), `#!/bin/sh\nexec ${line}\n`, { mode: 0o755 });
  }
  process.env["PATH"] = `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
}

async function execute(
  client: StandClient,
  code: string | undefined,
  intent: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const { structuredContent } = await client.call("execute", {
    ...(code !== undefined && { code }),
    intent,
    ...more,
  });
  const id = structuredContent?.["run_id"];
  if (typeof id !== "string") throw new Error(JSON.stringify(structuredContent));
  return id;
}

async function killInTheMiddle(stand: ConsoleStand): Promise<void> {
  const client = await stand.join("cursor");
  // Its client goes on waiting for a gateway that is gone.
  void execute(client, MERGE, "Ship the fix of the search").catch(() => undefined);
  await eventually("the merge", () => linesOf(join(stand.place.folder, "merges.log")).length > 0);
  await stand.kill();
  writeFileSync(join(stand.place.folder, "merge"), "");
}

/** Once the log has the last call: it is written a moment after the answer. */
async function interruptedRun(home: string): Promise<string> {
  const store = await openSqliteStore({ home });
  try {
    const isLogged = async () => (await store.calls.list({ tool: LAST_CALL, limit: 1 })).length > 0;
    await eventuallyAsync("the last call in the log", isLogged);
    const runs = await store.runs.list(DEFAULT_SCOPE, { limit: 10, text: "Ship the fix" });
    return runs[0]!.id;
  } finally {
    await store.close();
  }
}

/** A day before today's runs: its times are given to the store. */
async function writeHistory(home: string): Promise<void> {
  const time = { at: Date.now() - 23.5 * HOUR_MS };
  const store = await openSqliteStore({ home, clock: { ...systemClock, now: () => time.at } });
  try {
    for (let count = 0; time.at < Date.now() - HOUR_MS / 4; count += 1) {
      const status: RunStatus = count % 11 === 7 ? "failed" : count % 17 === 12 ? "cancelled" : "succeeded";
      await writeRun(store, time, count, status);
      time.at += HOUR_MS * (0.02 + (0.6 * ((count * 37) % 100)) / 100);
    }
  } finally {
    await store.close();
  }
}

const INTENTS = [
  "Label new issues",
  "Nightly digest of the mailbox",
  "Check the links of the docs",
  "Prepare the stand-up",
  "Look for duplicates of #4120",
];

async function writeRun(store: Store, time: { at: number }, count: number, status: RunStatus): Promise<void> {
  const from = time.at;
  const run = await store.runs.start(
    {
      scope: DEFAULT_SCOPE,
      kind: count % 4 === 3 ? "workflow" : "code",
      source: 'return await mcp.github.list_issues({ repo: "acme/web" });',
      intent: INTENTS[count % INTENTS.length]!,
      inputs: {},
      principal: count % 5 === 4 ? "token:ci" : "token:default",
      client: ["claude-code", "cursor", "ci-bot"][count % 3]!,
      seed: `history-${count}`,
      clockAt: from,
    },
    "history",
    HOUR_MS,
  );
  const lease = { runId: run.id, fence: run.fence };
  const finishedAt = from + 40 + ((count * 53) % 400) * (count % 6 === 0 ? 30 : 1);
  await store.runs.recordStep(lease, {
    key: `github__list_issues:${count}`,
    seq: 1,
    tool: "github__list_issues",
    args: { repo: "acme/web" },
    startedAt: from + 5,
    finishedAt,
    status: "succeeded",
    result: { issues: [] },
    endSeq: 2,
    clockAt: finishedAt,
  });
  time.at = finishedAt;
  const error = status === "failed" ? { code: "TOOL_EXECUTION_ERROR", message: "502 Bad Gateway" } : null;
  await store.runs.finish(lease, { status, result: { issues: [] }, error });
}

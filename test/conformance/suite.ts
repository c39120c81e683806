/** The conformance suite as a process: one requirement set against one server or one client, and what it found. */
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseNamedLists } from "./named-lists.ts";
import { startProcess } from "./processes.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

export type Revision = "2025-11-25" | "2026-07-28";
export const REVISIONS: readonly Revision[] = ["2025-11-25", "2026-07-28"];

export type CheckStatus = "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";

export interface Check {
  readonly id: string;
  readonly status: CheckStatus;
  readonly errorMessage?: string;
  readonly description?: string;
}

/** What each scenario found, by its name. */
export type Findings = ReadonlyMap<string, readonly Check[]>;

type Leg = "server" | "client";

const PACKAGE = dirname(fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json")));
const PROGRAM = join(PACKAGE, "dist/index.js");
/** All clients of a requirement set run at once, on as many cores as there are. */
const SCENARIO_MS = 120_000;

/** The scenarios that a revision requires, in the order of the set. */
export function requiredScenarios(revision: Revision, leg: Leg): readonly string[] {
  return (parseNamedLists(readSet(revision)).get(leg) ?? []).map((entry) => entry.value);
}

/**
 * Extensions of the protocol are in no set of requirements. What is named here is expected to pass as the required
 * scenarios are, at the revision that has extensions.
 */
export const EXTENSION_SCENARIOS = {
  tasks: [
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-status-notifications",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
  ],
  skills: ["sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"],
} as const;
/** The same for clients. */
const CLIENT_SCENARIOS = [
  "sep-2640-client-no-prefetch",
  "sep-2640-client-verify-digest",
  "sep-2640-client-verify-size",
  "sep-2640-client-verify-frontmatter",
] as const;
export type Extension = keyof typeof EXTENSION_SCENARIOS;
const EXTENSIONS = Object.keys(EXTENSION_SCENARIOS) as Extension[];
const EXTENDED_REVISION: Revision = "2026-07-28";

/** The scenarios of all extensions, at the revision that has them. */
export function extensionScenarios(revision: Revision, leg: Leg): readonly string[] {
  if (revision !== EXTENDED_REVISION) return [];
  if (leg === "client") return CLIENT_SCENARIOS;
  return EXTENSIONS.flatMap((extension) => EXTENSION_SCENARIOS[extension]);
}

/** How many scenarios run, those that are not scored included. */
export function countScenarios(revision: Revision, leg: Leg): number {
  const others = readSet(revision).matchAll(new RegExp(`^    leg: ${leg}$`, "gm"));
  return requiredScenarios(revision, leg).length + [...others].length;
}

function readSet(revision: Revision): string {
  return readFileSync(join(PACKAGE, "requirements", `${revision}.yaml`), "utf8");
}

export function testServer(url: string, revision: Revision): Promise<Findings> {
  return runSuite("server", ["--url", url, "--requirements", revision]);
}

/** The scenarios of one extension, each by itself: a set of requirements has only some of them. */
export async function testExtension(url: string, extension: Extension): Promise<Findings> {
  const findings = await Promise.all(
    EXTENSION_SCENARIOS[extension].map((scenario) =>
      runSuite("server", [
        "--url",
        url,
        "--scenario",
        scenario,
        "--spec-version",
        EXTENDED_REVISION,
        "--force",
      ]),
    ),
  );
  return new Map(findings.flatMap((found) => [...found]));
}

/** The suite appends the address of its own server to the command, which also gets these variables. */
export function testClient(
  command: string,
  revision: Revision,
  env: Readonly<Record<string, string>>,
): Promise<Findings> {
  return runSuite("client", ["--command", command, "--requirements", revision], env);
}

/** What a client does with an extension; each scenario by itself. */
export async function testClientExtensions(command: string): Promise<Findings> {
  const findings: [string, readonly Check[]][] = [];
  for (const scenario of CLIENT_SCENARIOS) {
    const args = [
      "--command",
      command,
      "--scenario",
      scenario,
      "--spec-version",
      EXTENDED_REVISION,
      "--force",
    ];
    findings.push(...(await runSuite("client", args)));
  }
  return new Map(findings);
}

async function runSuite(
  leg: Leg,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Findings> {
  const folder = createTemporaryFolder();
  try {
    const child = startProcess([PROGRAM, leg, ...args, "--timeout", String(SCENARIO_MS), "-o", folder.path], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...env },
    });
    let stderr = "";
    child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    await once(child, "close");
    const findings = readFindings(folder.path, leg);
    // The exit code says whether everything passed, which is judged here; no findings at all means that nothing ran.
    if (findings.size === 0) throw new Error(`the conformance suite found nothing:\n${stderr}`);
    return findings;
  } finally {
    folder.remove();
  }
}

/** A scenario's folder is its name and the time of the run. */
function readFindings(folder: string, leg: Leg): Findings {
  const findings = new Map<string, readonly Check[]>();
  for (const file of globSync("**/checks.json", { cwd: folder })) {
    const named = dirname(file).replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, "");
    const scenario = leg === "server" ? named.replace(/^server-/, "") : named;
    findings.set(scenario, JSON.parse(readFileSync(join(folder, file), "utf8")) as Check[]);
  }
  return findings;
}

/** The four parts of a run. Each starts what it needs and ends it. */
import { join } from "node:path";
import type { Baseline } from "./baseline.ts";
import { startBearerProxy } from "./bearer-proxy.ts";
import { createColumn, type Column } from "./column.ts";
import { fixtureCommand, startFixture } from "./fixture-process.ts";
import { startGateway, type GatewayProcess } from "./gateway-process.ts";
import { writeLibraryFile } from "./library-file.ts";
import { SELF_LIMITS, SELF_PROFILES, writeLibrary } from "./self-library.ts";
import {
  countScenarios,
  EXTENSION_SCENARIOS,
  extensionScenarios,
  REVISIONS,
  testClient,
  testClientExtensions,
  testExtension,
  testServer,
  type Extension,
  type Findings,
  type Revision,
} from "./suite.ts";
import { warmUp } from "./warm-up.ts";

/** The fixture asks for none; it is sent through the proxy all the same, so that the comparison is fair. */
const UNUSED_TOKEN = "unused";

/** Which fixture stands behind which transparent profile, and which revisions are spoken in front of it. */
const PASSAGES = [
  { name: "stdio", era: "both", isRemote: false, revisions: REVISIONS, hasExtensions: true },
  { name: "http", era: "both", isRemote: true, revisions: REVISIONS, hasExtensions: true },
  // These have to be asked back in answers, although the server behind sends requests.
  { name: "legacy-stdio", era: "legacy", isRemote: false, revisions: ["2026-07-28"], hasExtensions: false },
  { name: "legacy-http", era: "legacy", isRemote: true, revisions: ["2026-07-28"], hasExtensions: false },
] as const;

const EXTENSIONS = Object.keys(EXTENSION_SCENARIOS) as Extension[];

export async function runDirect(baseline: Baseline): Promise<Column[]> {
  await using stack = new AsyncDisposableStack();
  const fixture = await startFixture("both");
  stack.defer(() => fixture.close());
  const columns: Column[] = [];
  for (const revision of REVISIONS) {
    const findings = await testExtended(fixture.url, UNUSED_TOKEN, revision);
    columns.push(createColumn({ name: "direct", revision, leg: "server", findings, baseline }));
  }
  return columns;
}

export async function runThrough(baseline: Baseline, direct: readonly Column[]): Promise<Column[]> {
  await using stack = new AsyncDisposableStack();
  const mcpServers: Record<string, object> = {};
  const profiles: Record<string, object> = {};
  for (const { name, era, isRemote } of PASSAGES) {
    profiles[name] = { transparent: name };
    if (!isRemote) {
      mcpServers[name] = fixtureCommand(era);
      continue;
    }
    const fixture = await startFixture(era);
    stack.defer(() => fixture.close());
    mcpServers[name] = { url: fixture.url };
  }
  const gateway = await startGateway({ mcpServers, profiles });
  stack.defer(() => gateway.close());
  const columns: Column[] = [];
  for (const { name, revisions, hasExtensions } of PASSAGES) {
    const url = `${gateway.url}/${name}`;
    await warmUp(url, gateway.token);
    const test = hasExtensions ? testExtended : testRequired;
    for (const revision of revisions) {
      const findings = await test(url, gateway.token, revision);
      const whole = direct.find((column) => column.revision === revision)!.findings;
      const reference = hasExtensions ? whole : withoutExtensions(whole, revision);
      columns.push(createColumn({ name, revision, leg: "server", findings, reference, baseline }));
    }
  }
  return columns;
}

export async function runSelf(baseline: Baseline): Promise<Column[]> {
  await using stack = new AsyncDisposableStack();
  const gateway = await startGateway(
    { mcpServers: {}, profiles: SELF_PROFILES, sandbox: SELF_LIMITS },
    writeLibrary,
  );
  stack.defer(() => gateway.close());
  const skilled = await startSkilled();
  stack.defer(() => skilled.close());
  const { url, token } = gateway;
  const columns: Column[] = [];
  for (const revision of REVISIONS) {
    const places = { skills: skilled, tasks: { url: `${url}/tasks`, token } };
    const findings = await testExtended(url, token, revision, places);
    columns.push(createColumn({ name: "self", revision, leg: "server", findings, baseline }));
  }
  return columns;
}

/** A gateway with a library, in front of a server with skills that has told what it has. */
async function startSkilled(): Promise<GatewayProcess> {
  const gateway = await startGateway(
    { mcpServers: { fixture: fixtureCommand("both") }, exposure: "full" },
    writeLibraryFile,
  );
  await warmUp(gateway.url, gateway.token, "fixture__test_simple_text");
  return gateway;
}

export async function runClient(baseline: Baseline): Promise<Column[]> {
  // Loaded with the part that needs it: it brings the whole gateway with it.
  const { startClientHost } = await import("./client/host.ts");
  const command = `${process.execPath} ${join(import.meta.dirname, "client.ts")}`;
  const columns: Column[] = [];
  for (const revision of REVISIONS) {
    const host = await startClientHost(countScenarios(revision, "client"));
    const findings = await testClient(command, revision, { CONFORMANCE_HOST: host.socket });
    await host.close();
    const extended = extensionScenarios(revision, "client").length > 0;
    const all = extended ? new Map([...findings, ...(await testClientExtensions(command))]) : findings;
    columns.push(createColumn({ name: "client", revision, leg: "client", findings: all, baseline }));
  }
  return columns;
}

/** Where the scenarios of an extension find what they ask for, if not where everything else is. */
type ExtensionPlaces = Partial<Record<Extension, Pick<GatewayProcess, "url" | "token">>>;

/** The set of requirements and, at the revision that has them, the extensions: what they find by themselves counts. */
async function testExtended(
  url: string,
  token: string,
  revision: Revision,
  places: ExtensionPlaces = {},
): Promise<Findings> {
  const findings = new Map(await testWithToken(url, token, revision));
  if (extensionScenarios(revision, "server").length === 0) return findings;
  for (const extension of EXTENSIONS) {
    const place = places[extension] ?? { url, token };
    const found = await throughProxy(place.url, place.token, (at) => testExtension(at, extension));
    for (const [scenario, checks] of found) findings.set(scenario, checks);
  }
  return findings;
}

/** A set of requirements has scenarios of extensions in it, too. */
async function testRequired(url: string, token: string, revision: Revision): Promise<Findings> {
  return withoutExtensions(await testWithToken(url, token, revision), revision);
}

function withoutExtensions(findings: Findings, revision: Revision): Findings {
  const left = new Set(extensionScenarios(revision, "server"));
  return new Map([...findings].filter(([scenario]) => !left.has(scenario)));
}

function testWithToken(url: string, token: string, revision: Revision): Promise<Findings> {
  return throughProxy(url, token, (at) => testServer(at, revision));
}

async function throughProxy<T>(url: string, token: string, test: (url: string) => Promise<T>): Promise<T> {
  const proxy = await startBearerProxy(url, token);
  try {
    return await test(proxy.url);
  } finally {
    await proxy.close();
  }
}

/** The four parts of a run. Each starts what it needs and ends it. */
import { join } from "node:path";
import type { Baseline } from "./baseline.ts";
import { startBearerProxy } from "./bearer-proxy.ts";
import { createColumn, type Column } from "./column.ts";
import { fixtureCommand, startFixture } from "./fixture-process.ts";
import { startGateway } from "./gateway-process.ts";
import { countScenarios, REVISIONS, testClient, testServer, type Findings, type Revision } from "./suite.ts";
import { warmUp } from "./warm-up.ts";

/** The fixture asks for none; it is sent through the proxy all the same, so that the comparison is fair. */
const UNUSED_TOKEN = "unused";

/** Which fixture stands behind which transparent profile, and which revisions are spoken in front of it. */
const PASSAGES = [
  { name: "stdio", era: "both", isRemote: false, revisions: REVISIONS },
  { name: "http", era: "both", isRemote: true, revisions: REVISIONS },
  // These have to be asked back in answers, although the server behind sends requests.
  { name: "legacy-stdio", era: "legacy", isRemote: false, revisions: ["2026-07-28"] },
  { name: "legacy-http", era: "legacy", isRemote: true, revisions: ["2026-07-28"] },
] as const;

export async function runDirect(baseline: Baseline): Promise<Column[]> {
  await using stack = new AsyncDisposableStack();
  const fixture = await startFixture("both");
  stack.defer(() => fixture.close());
  const columns: Column[] = [];
  for (const revision of REVISIONS) {
    const findings = await testWithToken(fixture.url, UNUSED_TOKEN, revision);
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
  for (const { name, revisions } of PASSAGES) {
    const url = `${gateway.url}/${name}`;
    await warmUp(url, gateway.token);
    for (const revision of revisions) {
      const findings = await testWithToken(url, gateway.token, revision);
      const reference = direct.find((column) => column.revision === revision)!.findings;
      columns.push(createColumn({ name, revision, leg: "server", findings, reference, baseline }));
    }
  }
  return columns;
}

export async function runSelf(baseline: Baseline): Promise<Column[]> {
  await using stack = new AsyncDisposableStack();
  const gateway = await startGateway({ mcpServers: {} });
  stack.defer(() => gateway.close());
  const columns: Column[] = [];
  for (const revision of REVISIONS) {
    const findings = await testWithToken(gateway.url, gateway.token, revision);
    columns.push(createColumn({ name: "self", revision, leg: "server", findings, baseline }));
  }
  return columns;
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
    columns.push(createColumn({ name: "client", revision, leg: "client", findings, baseline }));
  }
  return columns;
}

async function testWithToken(url: string, token: string, revision: Revision): Promise<Findings> {
  const proxy = await startBearerProxy(url, token);
  try {
    return await testServer(proxy.url, revision);
  } finally {
    await proxy.close();
  }
}

/** What servers get of the gateway's environment, with real processes: behind a company's proxy, and on a desktop. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect as connectTo, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createCertificate } from "../src/net/certificate.testkit.ts";
import { BIN, connect, runCli } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const PROXIED = join(import.meta.dirname, "fixtures/proxied-server.mjs");
const SUM = join(import.meta.dirname, "fixtures/sum-server.mjs");
/** An address of documentation: nothing answers there, so only the proxy leads to it. */
const REGISTRY = "192.0.2.1";
const PASSWORD = "c0mpany-proxy-canary";

/** A registry with an authority of its own, and a proxy with a password as the only way to it. */
async function startCompany() {
  const folder = temporaryFolder();
  const { key, cert } = createCertificate(REGISTRY, new Date(Date.now() + 3_600_000));
  const authority = join(folder, "company-ca.pem");
  writeFileSync(authority, cert);
  const registry = createHttpsServer({ key, cert }, (_, response) => response.end("the package"));
  const opened: string[] = [];
  const proxy = createHttpServer();
  proxy.on("connect", (request, socket) => {
    const expected = `Basic ${Buffer.from(`me:${PASSWORD}`).toString("base64")}`;
    if (request.headers["proxy-authorization"] !== expected) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    opened.push(request.url ?? "");
    const tunnel = connectTo((registry.address() as AddressInfo).port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      tunnel.pipe(socket).pipe(tunnel);
    });
    for (const end of [tunnel, socket]) end.on("error", () => {});
  });
  for (const server of [registry, proxy]) {
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
  }
  const { port } = proxy.address() as AddressInfo;
  const env = {
    HTTPS_PROXY: `http://me:${PASSWORD}@127.0.0.1:${port}`,
    NODE_EXTRA_CA_CERTS: authority,
    NODE_USE_ENV_PROXY: "1",
  };
  return { env, opened };
}

function configOf(folder: string, mcpServers: object): string[] {
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify({ mcpServers }));
  return ["--config", file];
}

it("C2: a server behind a company's proxy and authority fetches what it needs, and nobody sees the password", async () => {
  const { env, opened } = await startCompany();
  const folder = temporaryFolder();
  const proxied = { command: process.execPath, args: [PROXIED, `https://${REGISTRY}/package`] };
  const broken = { ...proxied, env: { NODE_EXTRA_CA_CERTS: "" } };
  const remote = { url: "https://remote.example/mcp", enabled: true };
  const args = configOf(folder, { proxied, broken, remote });
  const { client, stderr } = await connect("2025-11-25", {
    folder,
    args: [...args, "--log-level", "debug"],
    env,
  });
  const call = (name: string) => client.callTool({ name, arguments: {} }, { timeout: 60_000 });

  const good = await call("proxied__fetched");
  expect(JSON.stringify(good.content)).toContain("the package through http://me:");
  expect(opened).toEqual([`${REGISTRY}:443`]);
  const bad = await call("broken__fetched");
  expect(JSON.stringify(bad)).toContain("cannot fetch");
  for (const told of [JSON.stringify(good), JSON.stringify(bad), stderr()])
    expect(told).not.toContain(PASSWORD);

  const doctor = runCli(["doctor", ...args], { folder, env });
  expect(doctor.stdout).toContain("get HTTPS_PROXY, NODE_EXTRA_CA_CERTS");
  expect(doctor.stdout).toContain(
    "HTTPS_PROXY is set, but remote servers are reached without a proxy: remote",
  );
  const report = JSON.parse(runCli(["doctor", "--json", ...args], { folder, env }).stdout) as {
    checks: { passed?: string[] }[];
  };
  const passed = report.checks.flatMap((check) => check.passed ?? []);
  expect(passed).toEqual(expect.arrayContaining(["HTTPS_PROXY", "HOME", "PATH"]));
  expect(`${doctor.stdout}${JSON.stringify(report)}`).not.toContain(PASSWORD);
});

it("C2: a gateway with the environment of a desktop serves its servers", () => {
  const folder = temporaryFolder();
  const args = configOf(folder, { sum: { command: process.execPath, args: [SUM] } });
  const env = ["-i", `HOME=${folder}`, "PATH=/usr/bin:/bin"];
  const command = [process.execPath, BIN, "call", "sum.get-sum", "a=2", "b=3", ...args];
  const { status, stdout, stderr } = spawnSync("env", [...env, ...command], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "The sum of 2 and 3 is 5.\n", stderr: "" });
});

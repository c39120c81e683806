/**
 * A host of MCP Apps without a window: an MCP client of a gateway over HTTP, and a page in a real browser that shows Apps.
 * An App's page comes from an origin of its own, under the policy that its server declared and no wider one.
 */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { FrameLocator, Page } from "playwright-core";
import { rolldown } from "rolldown";
import { onTestFinished } from "vitest";
import { UI_EXTENSION, UI_SETTINGS } from "../../src/core/declared.ts";
import type { Era } from "../fixtures/gateway-process.ts";
import { openBarePage } from "./browser.ts";
import type { HttpGateway } from "./http-gateway.ts";

interface DeclaredPolicy {
  readonly connectDomains?: readonly string[];
  readonly resourceDomains?: readonly string[];
}

interface AppPage {
  readonly html: string;
  readonly csp: DeclaredPolicy;
}

export interface AppHost {
  readonly client: Client;
  readonly page: Page;
  /** Calls a tool as a model would, and shows its page with the answer. */
  show(tool: string, args?: Record<string, unknown>): Promise<FrameLocator>;
}

/** Both end with the test. */
export async function openAppHost(
  { url, headers }: HttpGateway,
  era: Era,
  profile?: string,
): Promise<AppHost> {
  const client = new Client(
    { name: "host", version: "1.0.0" },
    {
      capabilities: { extensions: { [UI_EXTENSION]: UI_SETTINGS as Record<string, never> } },
      ...(era === "2026-07-28" ? { versionNegotiation: { mode: { pin: era } } } : {}),
    },
  );
  const endpoint = profile === undefined ? url : new URL(`${url.pathname}/${profile}`, url);
  await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit: { headers } }));
  onTestFinished(() => client.close());
  const pages: AppPage[] = [];
  const apps = await listen((request, response) => {
    const app = pages[Number(request.url?.slice(1))];
    if (app === undefined) return void response.writeHead(404).end();
    response.setHeader("Content-Security-Policy", policyOf(app.csp));
    response.setHeader("Content-Type", "text/html; charset=utf-8").end(app.html);
  });
  const page = await openHostPage(client);

  return {
    client,
    page,
    async show(tool, args = {}) {
      const { html, csp } = await readPage(client, tool);
      const result = await client.callTool({ name: tool, arguments: args });
      pages.push({ html, csp });
      const src = new URL(`/${pages.length - 1}`, apps).href;
      const shown = { src, args, result };
      await page.evaluate(`showApp(${JSON.stringify(shown)})`);
      return page.frameLocator("iframe");
    },
  };
}

/** By what the list says of the tool, and by nothing else. */
async function readPage(client: Client, tool: string): Promise<AppPage> {
  const { tools } = await client.listTools();
  const ui = tools.find(({ name }) => name === tool)?._meta?.["ui"] as { resourceUri: string };
  const { contents } = await client.readResource({ uri: ui.resourceUri });
  const [content] = contents as {
    text: string;
    mimeType: string;
    _meta?: { ui?: { csp?: DeclaredPolicy } };
  }[];
  if (content?.mimeType !== "text/html;profile=mcp-app") throw new Error(`no page: ${content?.mimeType}`);
  return { html: content.text, csp: content._meta?.ui?.csp ?? {} };
}

/** As the specification has it: what is not declared is refused. */
function policyOf({ connectDomains = [], resourceDomains = [] }: DeclaredPolicy): string {
  const resources = resourceDomains.join(" ");
  return [
    "default-src 'none'",
    `script-src 'unsafe-inline' ${resources}`,
    `style-src 'unsafe-inline' ${resources}`,
    `img-src data: ${resources}`,
    `connect-src ${connectDomains.length === 0 ? "'none'" : connectDomains.join(" ")}`,
    "frame-src 'none'",
    "object-src 'none'",
  ].join("; ");
}

async function openHostPage(client: Client): Promise<Page> {
  const script = await bundlePage();
  const origin = await listen((request, response) => {
    const isScript = request.url === "/host.js";
    response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html; charset=utf-8");
    response.end(
      isScript ? script : "<!DOCTYPE html><title>Host</title><script type=module src=/host.js></script>",
    );
  });
  const page = await openBarePage();
  await page.exposeFunction("hostRequest", (method: string, params: { name: string; uri: string }) =>
    method === "tools/call" ? client.callTool(params) : client.readResource(params),
  );
  await page.goto(origin.href);
  await page.waitForFunction("window.showApp !== undefined");
  return page;
}

let bundled: Promise<string> | undefined;

/** Once for each test file. */
function bundlePage(): Promise<string> {
  bundled ??= (async () => {
    const input = join(import.meta.dirname, "app-host-page.js");
    const build = await rolldown({ input, platform: "browser", logLevel: "silent" });
    const { output } = await build.generate({ format: "esm" });
    await build.close();
    return output[0].code;
  })();
  return bundled;
}

async function listen(answer: RequestListener): Promise<URL> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

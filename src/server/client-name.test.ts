import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { eventually } from "../../test/fixtures/temporary.ts";
import { META } from "../../test/rig/raw-request.ts";
import { silentLog } from "../core/log.ts";
import type { CallContext } from "../core/tool.ts";
import { noEvents, openRig } from "../gateway/gateway.testkit.ts";
import { clientNameOf } from "./client-name.ts";
import { connectStdio } from "./stdio/serve-stdio.ts";

it.each<[unknown, string | undefined]>([
  [{ name: "claude-code", version: "2.1.0" }, "claude-code 2.1.0"],
  [{ name: "cursor" }, "cursor"],
  [{ name: "", version: 1 }, undefined],
  [undefined, undefined],
  [["cursor"], undefined],
  [{ name: "a\nb\u001b[31m", version: "\u202e1" }, String.raw`a\u{a}b\u{1b}[31m \u{202e}1`],
])("T156: names the client of %j in one line that shows everything", (info, name) => {
  expect(clientNameOf(info)).toBe(name);
});

it("is short, however long a client's name is", () => {
  expect(clientNameOf({ name: "x".repeat(1_000_000), version: "\u0000".repeat(1_000) })).toHaveLength(80);
});

it.each([
  ["legacy", {}],
  ["modern", META],
])("is known of a %s client over stdio", async (era, _meta) => {
  const { gateway } = await openRig();
  const names: unknown[] = [];
  const callTool = (name: string, args: object, context?: Partial<CallContext>) => {
    names.push(context?.clientName);
    return gateway.callTool(name, args as never, context);
  };
  const [input, output] = [new PassThrough(), new PassThrough()];
  output.resume();
  const deps = { gateway: { ...gateway, callTool }, events: noEvents, isTransparent: false, log: silentLog };
  const connection = connectStdio({ ...deps, leave: async () => {} }, input, output);
  const say = (message: object): void =>
    void input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  if (era === "legacy") say({ id: 1, method: "initialize", params });
  const call = { name: "browse_components", arguments: { query: "x" }, _meta };
  say({ id: 2, method: "tools/call", params: call });
  expect(await eventually("the call", () => names[0])).toBe("raw 1");
  await connection.close();
});

import { expect, it } from "vitest";
import { csvOf, exportName, exportText } from "./call-export.ts";
import type { CallRow } from "./call-tail.ts";

const call: CallRow = {
  id: "c1",
  at: "2026-01-01T00:00:00.000Z",
  who: "local",
  client: null,
  profile: null,
  kind: "tool",
  tool: "desk__send",
  effect: "write",
  decision: "allow",
  rule: "default",
  args_digest: "abc",
  args: { to: 'say "hi", now' },
  outcome: "ok",
  elapsed_ms: 12.5,
  bytes: 3,
  run_id: null,
  trace_id: "t",
};

it("writes a head and one line for each call", () => {
  const [head, line, rest] = csvOf([call]).split("\r\n");
  expect(head).toBe(
    "id,at,who,client,profile,kind,tool,effect,decision,rule,args_digest,args,outcome,elapsed_ms,bytes,run_id,trace_id",
  );
  expect(line).toBe(
    'c1,2026-01-01T00:00:00.000Z,local,,,tool,desk__send,write,allow,default,abc,"{""to"":""say \\""hi\\"", now""}",ok,12.5,3,,t',
  );
  expect(rest).toBe("");
});

it.each(["=1+1", "+1", "-1", "@a", "\tx"])("makes no formula of a name: %j", (tool) => {
  expect(csvOf([{ ...call, tool }])).toContain(`'${tool}`);
});

it("writes JSON that reads back as it was", () => {
  expect(JSON.parse(exportText([call], "json"))).toEqual([call]);
});

it("names the file after the time, without characters that a file system refuses", () => {
  expect(exportName("csv", new Date("2026-01-01T10:20:30.400Z"))).toBe(
    "repertoire-calls-2026-01-01T102030Z.csv",
  );
});

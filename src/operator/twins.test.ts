import { expect, it } from "vitest";
import { COMMANDS } from "../cli/commands.ts";
import { CONTRACT } from "./contract/contract.ts";
import type { Endpoint } from "./contract/endpoint.ts";
import { ROUTES, type RouteName } from "./routes.ts";
import { commandText, twinOf } from "./twins.ts";

const NAMES = new Set(COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
const PARAMS = { run: "r", step: "1", name: "a:b", server: "s", tool: "s__t", token: "t", input: "i" };

it("names a command that there is, the one that the contract names", () => {
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    const { twin }: Endpoint = CONTRACT[name];
    const words = twinOf(name, { params: PARAMS, body: { approve: true } });
    if (twin !== undefined && name !== "saveRun")
      expect([name, words?.[0]]).toEqual([name, twin.split(" ")[0]]);
    if (words !== undefined) expect([name, NAMES.has(words[0]!)]).toEqual([name, true]);
  }
});

it("can be pasted into a shell, whatever is in it", () => {
  const words = twinOf("startRun", { body: { name: "a:b", inputs: { q: "it's; rm -rf $HOME", n: 3 } } })!;
  expect(commandText(words)).toBe(
    String.raw`repertoire run a:b --input 'q=it'\''s; rm -rf $HOME' --input n=3`,
  );
});

it("says what is decided, and what is remembered of it", () => {
  const body = {
    question: "q1",
    approve: true,
    remember: { same: ["repo", "title"], times: 20, script: true },
  };
  expect(commandText(twinOf("decideRun", { params: { run: "r1" }, body })!)).toBe(
    "repertoire approve r1 --question q1 --yes --remember --same repo --same title --times 20 --script",
  );
});

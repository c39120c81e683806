import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { aHead } from "../head.testkit.ts";
import { againOf, cliText, curlOf, testText } from "./copy-as.ts";

const code = "export default async ({ who }: { who: string }) => `it's ${who}`;\nCODE\n";

it("starts a saved tool by its name and version, code by its source, and nothing else", () => {
  expect(againOf(aHead({ capability: { name: "tidy", version: 3 }, inputs: { a: 1 } }))).toEqual({
    name: "tidy@3",
    inputs: { a: 1 },
  });
  expect(againOf(aHead({ intent: "why" }))).toMatchObject({
    code: expect.any(String) as string,
    intent: "why",
  });
  expect(againOf(aHead({ language: "json" }))).toBeUndefined();
  expect(againOf(aHead({ inputs: { handle: "repertoire://…", bytes: 9, preview: "" } }))).toBeUndefined();
});

it("writes a command from which a shell reads exactly the code and the inputs", () => {
  const text = cliText({ code, inputs: { who: "o'brien & co", deep: { x: [1] } } });
  const script = `repertoire() { printf '%s\\n' "$@"; cat; }\n${text}\n`;
  const said = execFileSync("sh", ["-c", script], { encoding: "utf8" });
  expect(said).toBe(`run\n-\n--input\nwho=o'brien & co\n--input\ndeep={"x":[1]}\n${code}`);
});

it("writes a request without a secret in it", () => {
  const text = curlOf({ name: "tidy@3", inputs: {} }, "http://127.0.0.1:1");
  expect(text).toContain("http://127.0.0.1:1/api/v1/runs");
  expect(text).toContain("$REPERTOIRE_TOKEN");
});

it("writes a test that expects what the run answered, where that is known", () => {
  const again = { code, inputs: { who: "a" } };
  expect(testText(again, { status: "succeeded", outputs: { n: 1 } })).toContain('"n": 1');
  expect(testText(again, { status: "failed", outputs: undefined })).not.toContain("outputs:");
});

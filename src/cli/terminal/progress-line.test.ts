import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { eventually } from "../../../test/fixtures/temporary.ts";
import { startProgressLine } from "./progress-line.ts";

function terminal(isTTY: boolean) {
  const output = Object.assign(new PassThrough(), { isTTY, columns: 30 });
  let text = "";
  output.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { output: output as unknown as NodeJS.WriteStream, text: () => text };
}

it("shows one line that changes, cut to the terminal, and takes it away", async () => {
  const { output, text } = terminal(true);
  const line = startProgressLine(output);
  line.show("3 calls · \u001B[31mgithub__list_issues returned and more");
  await eventually("the line", () => text().includes("3 calls"));
  line.end();
  line.end();
  const escapes = text().split("\r\u001B[2K");
  expect(escapes.at(-1)).toBe("");
  expect(text()).not.toContain("\n");
  expect(text()).not.toContain("\u001B[31m");
  expect(escapes.every((shown) => shown.replaceAll(/\u001B\[\d+m/g, "").length < 30)).toBe(true);
});

it("writes nothing where there is no terminal", () => {
  const { output, text } = terminal(false);
  const line = startProgressLine(output);
  line.show("3 calls");
  line.end();
  expect(text()).toBe("");
});

/** The guest's side of the sandbox as the bundle has it: a compiler must not have moved anything out of it. */
import { parse } from "acorn";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describePrelude } from "../src/sandbox/runner/prelude.testsuite.ts";

const runner = readFileSync(join(import.meta.dirname, "../dist/runner.mjs"), "utf8");

function findPrelude(): string {
  const { body } = parse(runner, { ecmaVersion: "latest", sourceType: "module" });
  const found = body.filter((node) => node.type === "FunctionDeclaration" && node.id.name === "prelude");
  return found.map(({ start, end }) => runner.slice(start, end)).join();
}

describe("the guest's side, from the bundle", () => {
  it("is evaluated as its own text", () => {
    expect(runner).toMatch(/`"use strict"; \(\$\{(?:String\(prelude\)|prelude)\}\)`/);
  });

  const found = findPrelude();
  describePrelude(() => `"use strict"; (${found})`);
});

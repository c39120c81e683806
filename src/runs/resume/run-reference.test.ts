import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { RunSummary } from "../../core/store.ts";
import { findRunByReference, shortRunIds } from "./run-reference.ts";

const A = "01980f0e-6c3a-7000-8000-00000000aaaa";
const B = "01980f0e-6c3a-7001-8000-00000000bbbb";

function partsWith(...ids: string[]) {
  const list = async (_scope: unknown, { idPart = "", limit }: { idPart?: string; limit: number }) =>
    ids
      .filter((id) => id.startsWith(idPart) || id.endsWith(idPart))
      .slice(0, limit)
      .map((id) => ({ id }) as RunSummary);
  return { store: { list }, scope: () => DEFAULT_SCOPE };
}

it.each([[A], ["aaaa"], ["0000aaaa"], ["AAAA"], ["00000000aaaa"]])("C7: %s is the run", async (reference) => {
  expect(await findRunByReference(partsWith(A, B), reference)).toEqual({ success: true, data: A });
});

it("C7: what several runs have in common is refused, with their ids", async () => {
  expect(await findRunByReference(partsWith(A, B), "0198")).toMatchObject({
    success: false,
    error: { code: "TOOL_INVALID_INPUT", reason: "ambiguous", nearest: [A, B] },
  });
});

it.each(["aaa", "cccc", "", "xyzw", "aaaa%", "____", "../../etc"])("C7: %j is no run", async (reference) => {
  expect(await findRunByReference(partsWith(A, B), reference)).toMatchObject({
    error: { code: "TOOL_NOT_FOUND" },
  });
});

it("C7: the short form is the end of the id, and the whole one where two end alike", () => {
  const twin = `${B.slice(0, -8)}${A.slice(-8)}`;
  expect([...shortRunIds([A, B, B, twin]).values()]).toEqual([A, "0000bbbb", twin]);
});

import { expect, it } from "vitest";
import * as z from "zod";
import { parseArguments } from "./meta-tool.ts";

const SCHEMA = z.strictObject({
  name: z.string(),
  limit: z.int().default(20),
  pattern: z.string().nullish(),
  inputs: z.record(z.string(), z.unknown()).optional(),
});

it("null stands for an argument that is left out, as models and strict clients write it", () => {
  expect(parseArguments(SCHEMA, { name: "a", limit: null, pattern: null, inputs: null })).toEqual({
    success: true,
    data: { name: "a", limit: 20 },
  });
});

it("null inside of an argument is a value, and no argument that is needed", () => {
  expect(parseArguments(SCHEMA, { name: "a", inputs: { x: null } })).toMatchObject({
    data: { inputs: { x: null } },
  });
  expect(parseArguments(SCHEMA, { name: null })).toMatchObject({
    success: false,
    error: { code: "TOOL_INVALID_INPUT", field: "name" },
  });
  expect(parseArguments(SCHEMA, { name: "a", limt: null })).toMatchObject({
    success: false,
    error: { field: "limt" },
  });
});

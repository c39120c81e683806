import { specTypeSchemas } from "@modelcontextprotocol/client";
import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { hashJson, type JsonObject } from "../core/json.ts";
import { fromCached } from "../registry/cache-entry.ts";
import { admitOffer } from "./admission.ts";

const odd = fc.constantFrom<unknown>(null, 5, 1.5, "", "x", true, [], {}, [1], [{}], { a: 1 }, "text/plain");
const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: right }, { weight: 1, arbitrary: odd });
const optional = <T extends Record<string, fc.Arbitrary<unknown>>>(fields: T): fc.Arbitrary<unknown> =>
  fc.record(fields, { requiredKeys: [] });
const word = fc.constantFrom("a", "b", "text/plain");
const icons = mostly(
  fc.array(
    mostly(optional({ src: mostly(word), mimeType: odd, sizes: odd, theme: mostly(fc.constant("dark")) })),
    {
      maxLength: 2,
    },
  ),
);
const schema = mostly(
  optional({
    type: mostly(fc.constant("object")),
    properties: mostly(fc.dictionary(word, mostly(fc.constant({ type: "string" })))),
    required: mostly(fc.constant(["a"])),
    $schema: odd,
    items: odd,
  }),
);
const shown = { title: mostly(word), description: mostly(word), icons, _meta: odd };
const annotations = mostly(
  optional({
    audience: mostly(fc.constant(["user"])),
    priority: mostly(fc.constantFrom(0, 0.5, 2)),
    lastModified: mostly(
      fc.constantFrom("2025-01-12T15:00:58Z", "2025-02-29T00:00:00Z", "2025-01-12T15:00Z"),
    ),
    title: odd,
    readOnlyHint: odd,
    destructiveHint: odd,
  }),
);
const KINDS = {
  tools: {
    entry: optional({
      ...shown,
      name: word,
      inputSchema: schema,
      outputSchema: schema,
      annotations,
      execution: mostly(optional({ taskSupport: odd })),
    }),
    first: ListToolsResultSchema,
    second: "ListToolsResult",
  },
  resources: {
    entry: optional({
      ...shown,
      name: word,
      uri: fc.constant("x:y"),
      mimeType: mostly(word),
      size: odd,
      annotations,
    }),
    first: ListResourcesResultSchema,
    second: "ListResourcesResult",
  },
  resourceTemplates: {
    entry: optional({ ...shown, name: word, uriTemplate: fc.constant("x:{a}"), mimeType: odd, annotations }),
    first: ListResourceTemplatesResultSchema,
    second: "ListResourceTemplatesResult",
  },
  prompts: {
    entry: optional({
      ...shown,
      name: word,
      arguments: mostly(
        fc.array(mostly(optional({ name: mostly(word), description: odd, required: odd })), { maxLength: 2 }),
      ),
    }),
    first: ListPromptsResultSchema,
    second: "ListPromptsResult",
  },
} as const;

it.each(Object.entries(KINDS))(
  "B2: whatever %s come in, both SDKs list",
  (kind, { entry, first, second }) => {
    let admittedCount = 0;
    fc.assert(
      fc.property(fc.array(mostly(entry), { maxLength: 3 }), (entries) => {
        const admitted = admitOffer({ tools: [], [kind]: entries });
        const listed = admitted[kind as keyof typeof KINDS];
        admittedCount += listed.length;
        expect(first.safeParse({ [kind]: listed }).error?.message).toBeUndefined();
        expect(specTypeSchemas[second]["~standard"].validate({ [kind]: listed })).not.toHaveProperty(
          "issues",
        );
        // Each entry that did not come in is reported.
        expect(admitted.rejected.length).toBeGreaterThanOrEqual(entries.length - listed.length);
        expect(admitOffer({ tools: [], [kind]: listed })).toMatchObject({ [kind]: listed, rejected: [] });
      }),
      { numRuns: 1_000 },
    );
    expect(admittedCount).toBeGreaterThan(100);
  },
);

it("B2: what an earlier version let into the store is checked when it is loaded", () => {
  const inputSchema = { type: "object" };
  const definitions = {
    format: 1,
    configHash: "h",
    tools: [{ name: "t", inputSchema, icons: "x" }, "no tool"],
    resources: [{ name: "r", uri: "x:y", size: "big" }],
    resourceTemplates: [],
    prompts: [{ name: "p", arguments: {} }],
    rejected: [],
    findings: [],
  } as unknown as JsonObject;
  const reading = fromCached({
    server: "s",
    configHash: "c",
    definitions,
    hash: hashJson(definitions),
    fetchedAt: 1,
    ttlMs: 1,
  });
  const { tools, resources, prompts, rejected } = reading!.admitted;
  expect({ tools, resources, prompts }).toEqual({
    tools: [{ name: "t", inputSchema }],
    resources: [{ name: "r", uri: "x:y" }],
    prompts: [{ name: "p" }],
  });
  expect(rejected.map(({ name }) => name)).toEqual(["t", "tools[1]", "r", "p"]);
});

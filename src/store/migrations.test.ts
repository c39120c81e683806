import { expect, it } from "vitest";
import { MIGRATIONS } from "./migrations.ts";
import { SCHEMA_VERSION } from "./schema-version.ts";

it("has as many migrations as the schema's version says", () => {
  expect(MIGRATIONS).toHaveLength(SCHEMA_VERSION);
});

it("never changes the migrations that were released", () => {
  expect(MIGRATIONS.map((migration) => migration.name)).toEqual([
    "first tables",
    "the library as tools",
    "durable runs",
    "finding tools",
    "who started a run, and what a person was asked",
    "rules, pins and calls",
    "what people look at",
    "several gateways on one database",
  ]);
});

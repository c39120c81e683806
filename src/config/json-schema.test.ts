import { readFileSync } from "node:fs";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { describe, expect, test } from "vitest";
import { createJsonSchema, formatJsonSchema } from "./json-schema.ts";

test("the committed schema is the generated one (npm run schema)", () => {
  const committed = readFileSync(new URL("../../schema/repertoire.schema.json", import.meta.url), "utf8");
  expect(committed).toBe(formatJsonSchema());
});

test("describes every key", () => {
  const undescribed: string[] = [];
  const walk = (schema: Record<string, unknown>, path: string): void => {
    const properties = (schema["properties"] ?? {}) as Record<string, Record<string, unknown>>;
    for (const [key, child] of Object.entries(properties)) {
      if (typeof child["description"] !== "string") undescribed.push(`${path}${key}`);
      walk(child, `${path}${key}.`);
    }
    const values = schema["additionalProperties"];
    if (typeof values === "object") walk(values as Record<string, unknown>, `${path}*.`);
  };
  const schema = createJsonSchema();
  walk(schema, "");
  expect(undescribed).toEqual([]);
  expect(Object.keys(schema["properties"] as object)).toEqual([
    "$schema",
    "mcpServers",
    "servers",
    "inputs",
    "exposure",
    "profiles",
    "scope",
    "trust",
    "rules",
    "schedules",
    "hooks",
    "calls",
    "limits",
    "sandbox",
    "tools",
    "search",
    "library",
    "workflows",
    "http",
    "store",
    "registry",
    "telemetry",
    "log",
  ]);
});

describe("in an editor", () => {
  const validate = new AjvJsonSchemaValidator().getValidator(createJsonSchema());
  const isValid = (value: unknown): boolean => validate(value).valid;

  test.each([
    {},
    { $schema: "https://example.com/repertoire.schema.json" },
    { mcpServers: { a: { command: "npx", args: ["-y", "x"], env: { A: "b" }, cwd: "." } } },
    { mcpServers: { a: { type: "sse", url: "https://example.com", headers: { A: "b" } } } },
    { profiles: { a: { servers: ["a"], exposure: "full" } }, log: { level: "debug", file: "x" } },
    { inputs: [{ id: "a", type: "promptString", description: "d", password: true }] },
    { inputs: [{ id: "a", type: "pickString", options: ["x", { label: "Y", value: "y" }], default: "x" }] },
  ])("%j is valid", (value) => {
    expect(isValid(value)).toBe(true);
  });

  test.each([
    { exposure: "${EXPOSURE}", log: { level: "${LEVEL:-info}", file: "${FILE}" } },
    { scope: { org: "${ORG}", project: "team-${PROJECT}" } },
    { mcpServers: { a: { type: "${TYPE}", url: "${URL}", headers: { Authorization: "Bearer ${TOKEN}" } } } },
    { mcpServers: { a: { command: "${COMMAND}", args: ["${ARG}"], env: { A: "${B}" }, cwd: "${DIR}" } } },
    { profiles: { a: { servers: ["${S}"], exposure: "${E}" } }, workflows: { fileRoots: ["${ROOT}"] } },
  ])("%j is valid before its variables are expanded", (value) => {
    expect(isValid(value)).toBe(true);
  });

  test.each([
    { mcpServers: { a: {} } },
    { mcpServers: { a: { comand: "x" } } },
    { mcpServers: { a: { url: "ftp://example.com" } } },
    { exposure: "some" },
    { limits: { callTimeoutMs: 0 } },
    { scope: { org: "No Spaces" } },
    { exposur: "full" },
    { inputs: [{ id: "a", type: "command" }] },
    { inputs: [{ id: "a" }] },
  ])("%j is marked", (value) => {
    expect(isValid(value)).toBe(false);
  });
});

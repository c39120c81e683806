import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { VERSION } from "../core/version.ts";
import { describeApi } from "./openapi.ts";
import { API_PREFIX, ROUTES } from "./routes.ts";

type Operation = { readonly operationId: string; readonly responses: object };
const document = describeApi(VERSION) as { readonly paths: Record<string, Record<string, Operation>> };

it("is the file that the package has; after a change: npm run schema", () => {
  const file = new URL("../../schema/openapi.json", import.meta.url);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(document)));
});

it("describes every route, each with its answer and what goes wrong", () => {
  const described = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(described.toSorted()).toEqual([...Object.keys(ROUTES), "listenForChanges"].toSorted());
  for (const [name, [method, path]] of Object.entries(ROUTES)) {
    const template = API_PREFIX + path.replaceAll(/:(\w+)/g, "{$1}");
    const operation = document.paths[template]?.[method.toLowerCase()];
    expect([name, operation?.operationId, Object.keys(operation?.responses ?? {})]).toEqual([
      name,
      name,
      ["200", "default"],
    ]);
  }
});

/** Something to keep, as the file that `repertoire import` reads. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HEADER = {
  name: "math:sum",
  kind: "code",
  description: "Adds two numbers.",
  visibility: "project",
  author: "conformance",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  example: { inputs: { a: 1, b: 2 }, calls: [], result: 3 },
};

export function writeLibraryFile(folder: string): void {
  const namespace = join(folder, "math");
  mkdirSync(namespace, { recursive: true });
  const text = `/* repertoire\n${JSON.stringify(HEADER, null, 2)}\n*/\nreturn args.a + args.b;\n`;
  writeFileSync(join(namespace, "sum.ts"), text);
}

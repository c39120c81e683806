/** `npm run bundle:mcpb`: the bundle of this version and its entry for the MCP registry, into release/. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { packBundle } from "./mcpb.ts";

const { file, sha256 } = await packBundle({ outDir: join(import.meta.dirname, "../release") });
const megabytes = (statSync(file).size / 1024 / 1024).toFixed(1);
console.log(`${file}\n${megabytes} MiB, sha256 ${sha256}`);

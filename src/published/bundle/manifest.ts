/**
 * What a bundle says of itself (`manifest.json`, versions 0.1 to 0.4), as far as it is used to start it. Keys that are
 * only shown in other programs are left out.
 */
import * as z from "zod";
import { parseJson } from "../../core/json.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import { quote } from "../../text/quote.ts";
import { refused, type Archive } from "./archive.ts";

const MANIFEST_FILE = "manifest.json";
const MANIFEST_BYTES_MAX = 1024 * 1024;

const text = z.string().max(4096);
const texts = z.array(text).max(200);
const variables = z.record(z.string().max(200), text);

const startConfig = z.object({
  command: text.min(1),
  args: texts.optional(),
  env: variables.optional(),
});

const option = z.object({
  type: z.enum(["string", "number", "boolean", "directory", "file"]),
  title: z.string().max(500).optional(),
  description: z.string().max(2000).optional(),
  required: z.boolean().optional(),
  default: z.union([text, z.number(), z.boolean(), texts]).optional(),
  multiple: z.boolean().optional(),
  sensitive: z.boolean().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
});

const manifest = z.object({
  manifest_version: z.string().max(20).optional(),
  dxt_version: z.string().max(20).optional(),
  name: z.string().min(1).max(200),
  version: z.string().min(1).max(100),
  description: z.string().max(10_000).default(""),
  server: z.object({
    type: z.enum(["node", "python", "uv", "binary"]),
    entry_point: text.min(1),
    mcp_config: startConfig
      .extend({ platform_overrides: z.record(z.string().max(50), startConfig.partial()).optional() })
      .optional(),
  }),
  compatibility: z
    .object({
      platforms: z.array(z.string().max(50)).max(20).optional(),
      runtimes: z.object({ node: z.string().max(200).optional() }).optional(),
    })
    .optional(),
  user_config: z.record(z.string().max(100), option).optional(),
});

/** A bundle as it describes itself. */
export type BundleManifest = z.output<typeof manifest>;
export type BundleOption = z.output<typeof option>;

const VERSIONS = ["0.1", "0.2", "0.3", "0.4"];

export async function readManifest(archive: Archive): Promise<ToolResult<BundleManifest>> {
  const file = await archive.read(MANIFEST_FILE, MANIFEST_BYTES_MAX);
  if (!file.success) return file;
  const parsed = parseJson(file.data.toString("utf8").replace(/^\uFEFF/, ""));
  if (!parsed.ok) return refused(`its ${MANIFEST_FILE} is no JSON: ${parsed.message}`);
  const read = manifest.safeParse(parsed.value);
  if (!read.success) {
    const { path, message } = read.error.issues[0]!;
    return refused(
      `its ${MANIFEST_FILE} is not valid at ${quote(path.join(".") || "its top", 200)}: ${message}`,
    );
  }
  const said = read.data.manifest_version ?? read.data.dxt_version ?? "";
  if (!VERSIONS.includes(said))
    return refused(`its ${MANIFEST_FILE} is of the version ${quote(said)}; ${VERSIONS.join(", ")} are known`);
  return succeed(read.data);
}

import { parseEnv } from "node:util";
import { readTextFile } from "./read-file.ts";

type EnvFileRead =
  | { readonly ok: true; readonly env: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly message: string };

/** The variables of an `envFile`: KEY=VALUE lines, with comments and quotes as in a `.env`. No variable in it is expanded. */
export function readEnvFile(path: string): EnvFileRead {
  const read = readTextFile(path);
  if (!read.ok) return { ok: false, message: read.message };
  const pairs = Object.entries(parseEnv(read.text)).flatMap(([name, value]): [string, string][] =>
    value === undefined || value.includes("\0") ? [] : [[name, value]],
  );
  return { ok: true, env: Object.fromEntries(pairs) };
}

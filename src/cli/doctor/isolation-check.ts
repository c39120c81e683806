import type { Config } from "../../config/config.ts";
import { findBackend } from "../../process/isolation/backend.ts";
import { commandLine } from "../command-line.ts";
import type { GlobalOptions } from "../global-options.ts";
import { countOf } from "../terminal/wording.ts";
import type { Check } from "./check.ts";

/** Whether this machine can isolate servers; it is asked only where a server needs it. */
export async function checkIsolation(
  { servers }: Pick<Config, "servers">,
  options: GlobalOptions,
  find = findBackend,
): Promise<Check[]> {
  const isolated = servers.filter(
    ({ enabled, trusted, transport }) =>
      enabled && trusted && transport.kind === "stdio" && transport.isolation !== undefined,
  );
  if (isolated.length === 0) return [];
  const name = "isolation";
  const ids = isolated.map(({ id }) => id);
  const backend = await find();
  if (backend.kind === "bubblewrap") {
    const message = `${backend.file} isolates ${countOf(ids.length, "server")}: ${ids.join(", ")}`;
    return [{ name, state: "ok", message }];
  }
  return [
    {
      name,
      state: "failed",
      message: `${backend.reason}, so these servers are not started: ${ids.join(", ")}`,
      cure: backend.command ?? commandLine(["disable", ids[0]!], options),
      advice: backend.hint,
    },
  ];
}

/** A view or an action of the API beside the command that is its twin, and what may differ between two processes on two homes. */
import { runCliHere } from "../fixtures/cli-in-process.ts";
import { API_PREFIX, ROUTES, type RouteName } from "../../src/operator/routes.ts";
import { twinOf, type TwinInput } from "../../src/operator/twins.ts";
import { send } from "../../src/server/http/http.testkit.ts";
import type { HttpProcess, Place } from "./http-process.ts";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
/** Tokens, digests, and the ids of questions. */
const RANDOM = /\b(?:rpt_[\w-]{20,}|[0-9a-f]{32,64}|[0-9a-f]{8}(?= |$))\b/g;
/** Measured, or of the process that looks. */
const OWN = /^(?:pid|gateways|stderr|latencyMs|connectMs|memory_bytes|trace_id|seed)$|(?:_ms|Ms)$/;

/** What a command would do that standard input carries. */
const SENT_IN = ["code", "value"] as const;

export async function askApi(
  gateway: HttpProcess,
  place: Place,
  name: RouteName,
  input: TwinInput,
): Promise<unknown> {
  const [method, path] = ROUTES[name];
  const filled = path.replaceAll(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(input.params?.[key] ?? ""),
  );
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input.query ?? {})) query.set(key, String(value));
  const url = gateway.at(`${API_PREFIX}${filled}${query.size > 0 ? `?${query.toString()}` : ""}`);
  const headers = { ...place.owner(), "Content-Type": "application/json" };
  const body = method === "POST" ? { body: JSON.stringify(input.body ?? {}) } : {};
  const { text } = await send(url, { method, headers, ...body });
  return JSON.parse(text);
}

/** What the twin prints with `--json`. */
export async function askCli(place: Place, name: RouteName, input: TwinInput): Promise<unknown> {
  const words = twinOf(name, input);
  if (words === undefined) throw new Error(`${name} has no twin`);
  const given = SENT_IN.map((key) => input.body?.[key]).find((value) => typeof value === "string");
  const { stdout, stderr } = await runCliHere([...words, "--json", "--config", place.configFile], {
    folder: place.folder,
    ...(typeof given === "string" && { input: given }),
  });
  if (stdout === "") throw new Error(`${words.join(" ")} printed nothing: ${stderr}`);
  return JSON.parse(stdout);
}

/** Without what differs between two processes, two homes and two moments. */
export function plain(value: unknown, folder: string): unknown {
  if (typeof value === "string")
    return value
      .replaceAll(folder, "FOLDER")
      .replaceAll(UUID, "ID")
      .replaceAll(TIME, "TIME")
      .replaceAll(RANDOM, "RANDOM");
  if (Array.isArray(value)) return value.map((each) => plain(each, folder));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !OWN.test(key))
      .map(([key, each]) => [plain(key, folder) as string, plain(each, folder)]),
  );
}

/** The hooks of the config, as the HTTP endpoint asks for them. */
import type { Config, HookConfig } from "../../config/config.ts";
import { parseJson, type JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { EnqueuedRun } from "../../core/store.ts";
import type { HookDelivery, HookDeps } from "../../server/http/hook-endpoint.ts";
import type { KeptStart } from "./start-kept.ts";

/** A shorter one can be guessed from a single signed request. */
const SECRET_LENGTH_MIN = 16;

export interface HooksDeps {
  readonly config: () => Config;
  readonly start: (start: KeptStart) => Promise<ToolResult<EnqueuedRun>>;
}

export function createHooks({ config, start }: HooksDeps): Pick<HookDeps, "secretOf" | "start"> {
  const find = (id: string): HookConfig | undefined =>
    Object.hasOwn(config().hooks, id) ? config().hooks[id] : undefined;
  return {
    secretOf(id) {
      const hook = find(id);
      return hook?.enabled === true && findSecretProblem(hook) === undefined ? hook.secret : undefined;
    },
    async start({ id, deliveryId, body }: HookDelivery) {
      const { tool, profile, inputs, payload } = find(id)!;
      const given = inputsOf(inputs as JsonObject, payload, body);
      if (!given.success) return given;
      const { org, project } = config().scope;
      const startKey = `hook:${org}/${project}/${id}:${deliveryId}`;
      const started = await start({ kind: "hook", name: id, tool, profile, inputs: given.data, startKey });
      return started.success ? succeed({ runId: started.data.run.id }) : started;
    },
  };
}

/** Why nothing can be signed with it; undefined where it can. */
export function findSecretProblem({ secret }: Pick<HookConfig, "secret">): string | undefined {
  if (/\$\{[^}]*\}/.test(secret)) return "its secret has no value yet";
  if (secret.length < SECRET_LENGTH_MIN) return `its secret has fewer than ${SECRET_LENGTH_MIN} characters`;
  return undefined;
}

function inputsOf(fixed: JsonObject, payload: string | undefined, body: Buffer): ToolResult<JsonObject> {
  if (payload === undefined) return succeed(fixed);
  const parsed = parseJson(body.toString("utf8"));
  if (parsed.ok) return succeed({ ...fixed, [payload]: parsed.value });
  return fail("TOOL_INVALID_INPUT", "The body is no JSON, and the hook hands its JSON to the tool.", {
    field: payload,
  });
}

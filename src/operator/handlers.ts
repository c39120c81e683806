/** Each route of the API with the function that answers it; those of sessions are answered where cookies are. */
import { succeed } from "../core/result.ts";
import { VERSION } from "../core/version.ts";
import { addHandlers } from "./servers/add-servers.ts";
import { inputHandlers } from "./access/inputs.ts";
import { libraryHandlers } from "./library.ts";
import type { Handlers } from "./operator.ts";
import { describeApi } from "./openapi.ts";
import { pinHandlers } from "./access/pins.ts";
import type { RouteName } from "./routes.ts";
import { ruleHandlers } from "./access/rules.ts";
import { runHandlers } from "./runs/runs.ts";
import { serverChangeHandlers } from "./servers/server-changes.ts";
import { loginHandlers } from "./servers/server-login.ts";
import { serverHandlers } from "./servers/servers.ts";
import { tokenHandlers } from "./access/tokens.ts";
import { toolHandlers } from "./tools/tools.ts";

export const HANDLERS: Handlers<Exclude<RouteName, "getSession" | "openSession" | "closeSession">> = {
  getOpenApi: () => Promise.resolve(succeed(describeApi(VERSION) as { readonly openapi: string })),
  ...runHandlers,
  ...libraryHandlers,
  ...serverHandlers,
  ...serverChangeHandlers,
  ...addHandlers,
  ...loginHandlers,
  ...inputHandlers,
  ...pinHandlers,
  ...toolHandlers,
  ...tokenHandlers,
  ...ruleHandlers,
};

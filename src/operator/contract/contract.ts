/** Every endpoint of the API under the name of its route. A test compares it with `routes.ts`. */
import type * as z from "zod";
import type { ToolResult } from "../../core/result.ts";
import type { ROUTES, RouteName } from "../routes.ts";
import { accessEndpoints } from "./access.ts";
import { callEndpoints } from "./calls.ts";
import { libraryEndpoints } from "./library.ts";
import { runEndpoints } from "./runs.ts";
import { serverEndpoints } from "./servers.ts";
import { sessionEndpoints } from "./session.ts";
import { statsEndpoints } from "./stats.ts";
import { statusEndpoints } from "./status.ts";
import { toolEndpoints } from "./tools.ts";

export const CONTRACT = {
  ...sessionEndpoints,
  ...statusEndpoints,
  ...statsEndpoints,
  ...runEndpoints,
  ...libraryEndpoints,
  ...serverEndpoints,
  ...toolEndpoints,
  ...callEndpoints,
  ...accessEndpoints,
};

type Contract = typeof CONTRACT;

/** The names in a path: `"/runs/:run/steps/:step"` has `run` and `step`. */
type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export type ParamsOf<Name extends RouteName> = Readonly<Record<NamesIn<(typeof ROUTES)[Name][1]>, string>>;
/** As a caller gives them. */
export type QueryOf<Name extends RouteName> = z.input<Contract[Name]["query"]>;
export type BodyOf<Name extends RouteName> = z.input<Contract[Name]["body"]>;
export type AnswerOf<Name extends RouteName> = z.output<Contract[Name]["answer"]>;

/** What a handler is given: checked, with defaults filled in. */
export interface Asked<Name extends RouteName> {
  readonly params: ParamsOf<Name>;
  readonly query: z.output<Contract[Name]["query"]>;
  readonly body: z.output<Contract[Name]["body"]>;
}

export type HandlerAnswer<Name extends RouteName> = Promise<ToolResult<z.input<Contract[Name]["answer"]>>>;

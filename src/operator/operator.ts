/**
 * What every view and action needs: the gateway, its config, and who looks. The command line and the HTTP API call the same
 * functions; only their viewers differ.
 */
import type { App } from "../app/app.ts";
import type { ConfigSource } from "../config/source.ts";
import type { Principal } from "../core/principal.ts";
import type { CallContext, ToolView } from "../core/tool.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Asked, HandlerAnswer } from "./contract/contract.ts";
import type { RouteName } from "./routes.ts";

export interface OperatorDeps {
  readonly app: App;
  readonly config: ConfigSource;
  /** How the config was found, for what changes its files. */
  readonly place: { readonly configPath?: string | undefined; readonly home?: string | undefined };
  /** Where the gateway listens, if not where the config says. */
  readonly host?: string | undefined;
}

/** Who looks, and how far they see. */
export interface Viewer {
  /** Undefined for the person at this machine. */
  readonly principal: Principal | undefined;
  /** Whose runs and calls they see, by the id of the principal; undefined for everybody's. */
  readonly owner: string | undefined;
  /** What their profile shows; undefined for everything. */
  readonly view: ToolView | undefined;
  /** The gateway as their profile shows it. */
  readonly gateway: Gateway;
  /** When they proved who they are, in ms since 1970; undefined for a token, which proves it each time. */
  readonly provedAt?: number;
  /** What a call that they make carries. */
  readonly context: Pick<CallContext, "principal" | "caller" | "session" | "clientName" | "view" | "signal">;
}

export type Handler<Name extends RouteName> = (
  deps: OperatorDeps,
  viewer: Viewer,
  asked: Asked<Name>,
) => HandlerAnswer<Name>;

/** What a file of handlers exports. */
export type Handlers<Name extends RouteName> = { readonly [Each in Name]: Handler<Each> };

/** What an OpenAPI description comes to: tools, and how each of them is called. Plain data, so that a thread can hand it over. */
import type { ToolDefinition } from "../core/tool.ts";

export interface ApiDescription {
  readonly title?: string;
  readonly version?: string;
  readonly about?: string;
  readonly tools: readonly ToolDefinition[];
  /** By the name of the tool. */
  readonly plans: ReadonlyMap<string, CallPlan>;
  /** The first server, with the defaults of its variables: absolute, or relative to the description. */
  readonly server: string;
  /** By name. */
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  /** Operations that are no tools, and parts of operations that are left out, with why. */
  readonly leftOut: readonly LeftOut[];
  /** Why the tools are not all that there are. */
  readonly incomplete: readonly string[];
}

export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

/** One operation, as far as a request is made of it. */
export interface CallPlan {
  /** In capitals. */
  readonly method: string;
  /** With `{name}` in the place of each path parameter. */
  readonly path: string;
  /** Where the operation has a server of its own. */
  readonly server?: string;
  readonly parameters: readonly ParameterPlan[];
  readonly body?: BodyPlan;
  /** The names of the schemes that are needed together; any one of the lists is enough, and an empty one says that none is. */
  readonly security: readonly (readonly string[])[];
  readonly accept: string;
}

export const PARAMETER_PLACES = ["path", "query", "header", "cookie"] as const;
export type ParameterPlace = (typeof PARAMETER_PLACES)[number];

export interface ParameterPlan {
  /** The name of the argument, which differs from the parameter's where two places have the same name. */
  readonly argument: string;
  readonly name: string;
  readonly in: ParameterPlace;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  /** Written as JSON, whatever the style says. */
  readonly isJson: boolean;
}

export const PARAMETER_STYLES = [
  "simple",
  "label",
  "matrix",
  "form",
  "spaceDelimited",
  "pipeDelimited",
  "deepObject",
] as const;
export type ParameterStyle = (typeof PARAMETER_STYLES)[number];

export interface BodyPlan {
  readonly mediaType: string;
  readonly kind: "json" | "form" | "multipart" | "text" | "bytes";
  /** Properties of a multipart body that are files: their values are base64. */
  readonly files: readonly string[];
}

export type SecurityScheme =
  | { readonly kind: "bearer" }
  | { readonly kind: "basic" }
  /** Another scheme of the Authorization header. */
  | { readonly kind: "http"; readonly scheme: string }
  | { readonly kind: "apiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string }
  | { readonly kind: "unknown"; readonly type: string };

/** The argument that is the body of the request. */
export const BODY_ARGUMENT = "body";

import { isJsonObject } from "../../core/json.ts";

/** A longer address is none. */
const ADDRESS_LENGTH_MAX = 2_000;

/** The first server of a list, with the defaults of its variables; undefined where there is none. */
export function readServer(servers: unknown): string | undefined {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined;
  if (!isJsonObject(first) || typeof first["url"] !== "string") return undefined;
  const { url, variables } = first;
  if (url.length > ADDRESS_LENGTH_MAX) return undefined;
  const filled = url.replace(/\{([^{}]+)\}/g, (whole, name: string) => defaultOf(variables, name) ?? whole);
  return filled.slice(0, ADDRESS_LENGTH_MAX);
}

function defaultOf(variables: unknown, name: string): string | undefined {
  const variable = isJsonObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
  const value = isJsonObject(variable) ? variable["default"] : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

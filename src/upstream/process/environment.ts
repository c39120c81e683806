import { passedEnvironment } from "../../process/passed-environment.ts";

/** The environment of a server: its own variables over those of the gateway that every server gets. */
export function childEnvironment(
  own: Readonly<Record<string, string>>,
  parent: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  return { ...passedEnvironment(parent), ...own };
}

/**
 * The first variable that `/bin/sh` would not hand on: some shells drop a name that they cannot spell. A server without a
 * variable that its config names is harder to understand than one that does not start.
 */
export function findLostName(environment: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(environment).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
}

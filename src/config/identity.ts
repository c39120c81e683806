/**
 * Who a server is, as the config says: what its pins are compared with. As it is written, so that a variable with
 * another value is no other server, and without secrets.
 */
import type { JsonObject } from "../core/json.ts";
import type { ServerConfig } from "./config.ts";
import { maskTransport } from "./values/secrets.ts";

/** `@scope/name@1.2.3` of npm, `name==1.2.3` of PyPI. */
const PACKAGE = /^((?:@[\w.-]{1,100}\/)?[\w.-]{1,200})(?:@|==)([\w.+*^~-]{1,100})$/;

export function identityOf({ written }: Pick<ServerConfig, "written">): JsonObject {
  const masked = maskTransport(written);
  if (masked.kind !== "stdio") return { url: masked.url };
  const { command, args } = masked;
  const found = args.map((arg) => PACKAGE.exec(arg)).find((match) => match !== null);
  return {
    command,
    args: [...args],
    ...(found && { package: { name: found[1]!, version: found[2]! } }),
  };
}

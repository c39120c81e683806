/** What can be done with the gateway's own tokens: show, list, create, revoke, rotate. */
import { RepertoireError } from "../../core/errors.ts";
import type { Permission } from "../../core/principal.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import { ENVIRONMENT_TOKEN_NAME } from "./environment-token.ts";
import { createTokenChanges, findToken, type ShownToken, type TokenChangesDeps } from "./token-changes.ts";
import type { TokenKeeper } from "./token-keeper.ts";
import type { TokenEntry, TokenLimits } from "./token.ts";

export type { ShownToken } from "./token-changes.ts";

/** All of it throws where the tokens cannot or must not be read. */
export interface Tokens {
  /** Whether there is a default token, whose text can be shown again. */
  readonly hasDefault: boolean;
  /**
   * Makes the default token if there has never been any; says what it is only then. Throws where there is nobody who may come
   * in, and no default token.
   */
  begin(): Promise<ShownToken | undefined>;
  /** The default token, made where there is none. Throws where there is no such thing. */
  showDefault(): Promise<ShownToken>;
  /** Those on record: the one of the environment is not among them. */
  list(): Promise<readonly TokenEntry[]>;
  /** The one of the environment too. */
  find(name: string): Promise<ToolResult<TokenEntry>>;
  create(
    name: string,
    permissions: readonly Permission[],
    limits?: TokenLimits,
  ): Promise<ToolResult<ShownToken>>;
  revoke(name: string): Promise<ToolResult<TokenEntry>>;
  /**
   * A new text for the same name, permissions and limits; the old one is good no longer. `expiresAt` replaces the one
   * that it has, and null takes it away.
   */
  rotate(name: string, expiresAt?: string | null): Promise<ToolResult<ShownToken>>;
}

export interface TokensDeps extends Omit<TokenChangesDeps, "keepsText"> {
  /** The token of the environment, if there is one. */
  readonly readEnvironment?: () => TokenEntry | undefined;
}

export function openTokens(
  keeper: TokenKeeper,
  { readEnvironment = () => undefined, ...deps }: TokensDeps = {},
): Tokens {
  const { keepsText } = keeper;
  const changes = createTokenChanges({ ...deps, keepsText });
  return {
    hasDefault: keepsText,
    list: async () => (await keeper.read()) ?? [],
    async find(name) {
      const ofEnvironment = name === ENVIRONMENT_TOKEN_NAME ? readEnvironment() : undefined;
      return ofEnvironment === undefined ? findToken(name, await keeper.read()) : succeed(ofEnvironment);
    },
    async begin() {
      if (readEnvironment() !== undefined) return undefined;
      return keepsText ? keeper.change(changes.begin()) : requireSome(await keeper.read());
    },
    async showDefault() {
      if (!keepsText) throw noDefault();
      return keeper.change(changes.showDefault());
    },
    create: (...args) => keeper.change(changes.create(...args)),
    revoke: (name) => keeper.change(changes.revoke(name)),
    rotate: (...args) => keeper.change(changes.rotate(...args)),
  };
}

/** Only hashes are in a database that several gateways share, so no token in it can be shown again. */
function noDefault(): RepertoireError {
  return new RepertoireError("CONFIG_INVALID", "On a shared database there is no default token.", {
    hint: "Set REPERTOIRE_TOKEN for every gateway, or create a token, which is shown once: repertoire token create NAME",
  });
}

function requireSome(entries: readonly TokenEntry[] = []): undefined {
  if (entries.length > 0) return;
  throw new RepertoireError("CONFIG_INVALID", "There is no token yet, so no client could come in.", {
    hint: "Set REPERTOIRE_TOKEN for every gateway, or create a token, which is shown once: repertoire token create NAME",
  });
}

/** The tokens of a home in one turn, for tests that do not wait. */
import { createTokenChanges, findToken, type TokenChangesDeps } from "./token-changes.ts";
import { changeTokens, readTokens } from "./token-file.ts";

export function openHomeTokens(home: string, deps: Omit<TokenChangesDeps, "keepsText"> = {}) {
  const changes = createTokenChanges({ ...deps, keepsText: true });
  type Changes = typeof changes;
  return {
    list: () => readTokens(home) ?? [],
    find: (name: string) => findToken(name, readTokens(home)),
    begin: () => changeTokens(home, changes.begin()),
    showDefault: () => changeTokens(home, changes.showDefault()),
    create: (...args: Parameters<Changes["create"]>) => changeTokens(home, changes.create(...args)),
    revoke: (name: string) => changeTokens(home, changes.revoke(name)),
    rotate: (...args: Parameters<Changes["rotate"]>) => changeTokens(home, changes.rotate(...args)),
  };
}

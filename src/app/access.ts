/** Where tokens and secrets are: in files of the home, or in the database where several gateways share one. */
import type { StorePlace } from "../config/locate-store.ts";
import { silentLog, type Log } from "../core/log.ts";
import type { SecretStore } from "../core/secret-store.ts";
import type { Store } from "../core/store.ts";
import { createOwner } from "../runs/journal/owner.ts";
import type { OwnReplica } from "../runs/replicas/replica.ts";
import { loadSecretKeys, secretKeyTexts } from "../secrets/secret-key.ts";
import { openSealedSecrets, type Rotation, type SealedSecrets } from "../secrets/sealed-secrets.ts";
import { openInputs, openStoredInputs, type Inputs } from "../secrets/inputs.ts";
import { openSecretStore, secretsFileOf } from "../secrets/secrets.ts";
import { readEnvironmentToken } from "../server/auth/environment-token.ts";
import { keepInFile, keepInStore } from "../server/auth/token-keeper.ts";
import type { FollowTokens } from "../server/auth/token-table.ts";
import { watchTokens, type TokenPrincipals } from "../server/auth/token-principals.ts";
import { openTokens, type Tokens } from "../server/auth/tokens.ts";
import { openConfiguredStore } from "./store/configured-store.ts";
import type { RevisionWatch } from "./store/revision-watch.ts";

/** What a place of tokens and secrets is known by. */
export interface AccessPlace {
  readonly home: string;
  /** Needed where it is shared: a command that only wants the tokens of a home opens no database. */
  readonly store?: SharedRows;
}

type SharedRows = Pick<Store, "replicas" | "tokens" | "secrets" | "locks">;

export function openTokensOf({ home, store }: AccessPlace): Tokens {
  const keeper = store?.replicas.isShared === true ? keepInStore(store.tokens) : keepInFile(home);
  return openTokens(keeper, { readEnvironment: () => readEnvironmentToken() });
}

/** Who may come in, kept in step with what is on record. */
export async function watchTokensOf(
  { home, store }: AccessPlace,
  { log, revisions }: { readonly log: Log; readonly revisions: Pick<RevisionWatch, "on"> },
): Promise<TokenPrincipals> {
  const environment = readEnvironmentToken();
  if (store?.replicas.isShared !== true) return watchTokens(home, log, { environment });
  const { watchTokenTable } = await import("../server/auth/token-table.ts");
  const follow: FollowTokens = (look) => revisions.on("tokens", look);
  return watchTokenTable(store.tokens, log, { environment, follow });
}

export interface SecretsPlace extends AccessPlace {
  readonly log: Log;
  /** This process, by which locks know it; a command that is none has a name of its own. */
  readonly replica?: Pick<OwnReplica, "owner" | "judgesDead">;
}

export function openSecretsOf({ home, store, ...deps }: SecretsPlace): SecretStore {
  return store?.replicas.isShared === true ? openSealed(store, deps) : openSecretStore({ home });
}

/** Seals all secrets of a shared database with the current key; undefined where they are in the home. */
export async function rotateSecrets(
  store: SharedRows,
  { log, isDry }: { readonly log: Log; readonly isDry: boolean },
): Promise<Rotation | undefined> {
  return store.replicas.isShared ? openSealed(store, { log }).rotate({ isDry }) : undefined;
}

function openSealed(
  { secrets, locks }: Pick<Store, "secrets" | "locks">,
  { log, replica }: Pick<SecretsPlace, "log" | "replica">,
): SealedSecrets {
  return openSealedSecrets({
    log,
    owner: replica?.owner ?? createOwner(),
    canTellDead: () => replica?.judgesDead() === true,
    rows: secrets,
    locks,
    keys: loadSecretKeys(),
  });
}

/** What must not be shown of the environment: the keys for secrets, and the token that it gives. */
export function secretsOfEnvironment(env: NodeJS.ProcessEnv = process.env): string[] {
  const token = env["REPERTOIRE_TOKEN"]?.trim() ?? "";
  return [...secretKeyTexts(env), ...(token === "" ? [] : [token])];
}

/** The values of inputs. In a shared database they are read for each use by a connection of its own. */
export function openInputsOf(place: StorePlace): Inputs {
  const { home, store: where } = place;
  if (where.url === undefined) return openInputs({ home });
  return openStoredInputs({
    path: secretsFileOf(home),
    async use(work) {
      const store = await openConfiguredStore(place);
      try {
        return await work(openSealed(store, { log: silentLog }));
      } finally {
        await store.close();
      }
    },
  });
}

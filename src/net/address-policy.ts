/**
 * Which addresses a connection may be made to. There are two policies, and one mechanism below them: a name is resolved
 * once for each connection, every address is checked, and the socket connects to what was checked. A name that answers
 * differently the second time is not asked a second time.
 */
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { kindOfAddress, type AddressKind } from "./addresses.ts";

/** All addresses of a host name; rejects where there is none. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Nothing was sent: the URL is, or leads to, something that may not be reached. A `TypeError`, as `fetch` fails. */
export class RefusedUrl extends TypeError {
  constructor(url: URL, reason: string) {
    super(`${url.origin === "null" ? url.protocol : url.origin} is not reached: ${reason}`);
    this.name = "RefusedUrl";
  }
}

export interface AddressPolicy {
  /**
   * Throws for what can be told without resolving its name: scheme, credentials in it, an address in place of a name.
   */
  checkUrl(url: URL): Promise<void> | undefined;
  /** What a socket to this URL uses instead of the system's lookup. */
  lookupFor(url: URL): LookupFunction;
  /** Throws for a URL that another program, such as a browser, may not be sent to. */
  check(url: URL): Promise<void>;
}

const resolveName: Resolve = (hostname) => lookup(hostname, { all: true });

const DESCRIPTIONS: Readonly<Record<AddressKind, string>> = {
  public: "a public address",
  private: "an address of a private network",
  loopback: "an address of this machine",
  special: "an address that is never used for servers, such as that of a metadata service",
};

/** For URLs that anybody may have chosen: the same rule for every address, whatever URL it belongs to. */
export function createAddressRule(
  refuses: (address: string) => boolean,
  resolve: Resolve = resolveName,
): AddressPolicy {
  return policyOf({
    addressesOf: (url) => resolve(bareHost(url)),
    findRefusal: (_url, address) =>
      refuses(address) ? `it is ${DESCRIPTIONS[kindOfAddress(address)]}` : undefined,
  });
}

/**
 * For one configured server. The user wrote its address, so it may be anywhere. What the server itself names (an
 * authorization server, its endpoints) may not be nearer to us than the server is: a server on the internet leads to no
 * address of this machine or this network, one on this machine only to this machine and the internet.
 *
 * How near the server is follows from the addresses that its own name had so far. One public address makes it public
 * for good: the holder of the name cannot open the way in by changing what it resolves to.
 */
export function createAddressPolicy(configured: URL, resolve: Resolve = resolveName): AddressPolicy {
  const isOwn = (url: URL): boolean => isOwnOrigin(configured, url);
  const isOwnHost = (url: URL): boolean => url.hostname === configured.hostname;
  const written = literalOf(configured);
  /** What the server's own name was found to be. */
  const kinds = new Set<AddressKind>(written === undefined ? [] : [kindOfAddress(written)]);

  function findRefusal(url: URL, address: string): string | undefined {
    const kind = kindOfAddress(address);
    const isLoopback = kind === "loopback";
    if (kind === "special" && !(isOwnHost(url) && written !== undefined)) return DESCRIPTIONS.special;
    if (isOwn(url)) return undefined;
    if (url.protocol === "http:" && !isLoopback)
      return "http is not used beyond this machine; it takes https";
    if (kind === "public" || (written !== undefined && isOwnHost(url))) return undefined;
    if (kinds.size === 1 && kinds.has(kind)) return undefined;
    return `${DESCRIPTIONS[kind]} is reached only for a server that is on such an address itself`;
  }

  async function learn(hostname: string): Promise<readonly LookupAddress[]> {
    const addresses = await resolve(hostname);
    for (const { address } of addresses) kinds.add(kindOfAddress(address));
    return addresses;
  }

  const learnOwn = (url: URL) => (kinds.size > 0 || isOwn(url) ? undefined : learn(configured.hostname));

  return policyOf({
    learnOwn,
    async addressesOf(url) {
      await learnOwn(url);
      return isOwn(url) ? learn(url.hostname) : resolve(bareHost(url));
    },
    findRefusal,
  });
}

/**
 * Whether a URL is at the configured server itself: its origin, or the same host over https where the user wrote http.
 */
export function isOwnOrigin(configured: URL, url: URL): boolean {
  if (url.origin === configured.origin) return true;
  const isUpgrade = configured.protocol === "http:" && url.protocol === "https:";
  return isUpgrade && url.hostname === configured.hostname && configured.port === "" && url.port === "";
}

interface AddressRules {
  /** All addresses of the URL's name. */
  readonly addressesOf: (url: URL) => Promise<readonly LookupAddress[]>;
  /** Why an address of the URL is refused; undefined where it is not. */
  readonly findRefusal: (url: URL, address: string) => string | undefined;
  /** Finds out what must be known before an address in place of a name is judged. */
  readonly learnOwn?: (url: URL) => Promise<unknown> | undefined;
}

function policyOf({ addressesOf, findRefusal, learnOwn }: AddressRules): AddressPolicy {
  function checkAddress(url: URL, address: string): undefined {
    const refusal = findRefusal(url, address);
    if (refusal !== undefined) throw new RefusedUrl(url, refusal);
  }

  /** One refused address refuses the name. */
  async function resolveChecked(url: URL): Promise<LookupAddress[]> {
    const addresses = [...(await addressesOf(url))];
    if (addresses.length === 0) throw new RefusedUrl(url, "the name has no address");
    for (const { address } of addresses) checkAddress(url, address);
    return addresses;
  }

  function checkUrl(url: URL): Promise<void> | undefined {
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      throw new RefusedUrl(url, "only http and https are");
    }
    if (url.username !== "" || url.password !== "") throw new RefusedUrl(url, "it carries credentials");
    const literal = literalOf(url);
    if (literal === undefined) return undefined;
    return learnOwn?.(url)?.then(() => checkAddress(url, literal)) ?? checkAddress(url, literal);
  }

  return {
    checkUrl,
    lookupFor(url) {
      return (_hostname, options, callback) => {
        const answer = async (): Promise<void> => {
          const found = await settle(resolveChecked(url));
          if (found instanceof Error) callback(found, []);
          else if (options.all === true) callback(null, found);
          else callback(null, found[0]!.address, found[0]!.family);
        };
        void answer();
      };
    },
    async check(url) {
      await checkUrl(url);
      if (literalOf(url) === undefined) await resolveChecked(url);
    },
  };
}

async function settle<T>(work: Promise<T>): Promise<T | Error> {
  try {
    return await work;
  } catch (error) {
    return error instanceof Error ? error : new Error("the name was not found", { cause: error });
  }
}

/** The address in a URL that has one in place of a name, in the one form that parsing gives to all its spellings. */
function literalOf(url: URL): string | undefined {
  const host = bareHost(url);
  return isIP(host) === 0 ? undefined : host;
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

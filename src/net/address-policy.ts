/**
 * Which addresses may be reached on behalf of one configured server. The user wrote its address, so it may be anywhere. What
 * the server itself names (an authorization server, its endpoints) may not be nearer to us than the server is: a server on the
 * internet leads to no address of this machine or this network, one on this machine only to this machine and the internet.
 *
 * A name is resolved once for each connection, every address is checked, and the socket connects to what was checked: a name
 * that answers differently the second time is not asked a second time.
 *
 * How near the server is follows from the addresses that its own name had so far. One public address makes it public for good:
 * whoever holds the name cannot open the way in by changing what it resolves to.
 */
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { kindOfAddress, type AddressKind } from "./addresses.ts";
import { isOwnOrigin } from "./own-origin.ts";

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
  /** Refuses what can be told without resolving its name: scheme, credentials in it, an address in place of a name. */
  checkUrl(url: URL): Promise<void> | undefined;
  /** What a socket to this URL uses instead of the system's lookup. */
  lookupFor(url: URL): LookupFunction;
  /** Refuses a URL that is reached by somebody else, such as a browser. */
  check(url: URL): Promise<void>;
}

const resolveName: Resolve = (hostname) => lookup(hostname, { all: true });

const DESCRIPTIONS: Readonly<Record<AddressKind, string>> = {
  public: "a public address",
  private: "an address of a private network",
  loopback: "an address of this machine",
  special: "an address that is never used for servers, such as that of a metadata service",
};

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

  /** One refused address refuses the name. */
  async function resolveChecked(url: URL): Promise<LookupAddress[]> {
    if (kinds.size === 0 && !isOwn(url)) await learn(configured.hostname);
    const addresses = isOwn(url) ? await learn(url.hostname) : [...(await resolve(bareHost(url)))];
    if (addresses.length === 0) throw new RefusedUrl(url, "the name has no address");
    for (const { address } of addresses) {
      const refusal = findRefusal(url, address);
      if (refusal !== undefined) throw new RefusedUrl(url, refusal);
    }
    return addresses;
  }

  async function learn(hostname: string): Promise<LookupAddress[]> {
    const addresses = [...(await resolve(hostname))];
    for (const { address } of addresses) kinds.add(kindOfAddress(address));
    return addresses;
  }

  function checkUrl(url: URL): Promise<void> | undefined {
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      throw new RefusedUrl(url, "only http and https are");
    }
    if (url.username !== "" || url.password !== "") throw new RefusedUrl(url, "it carries credentials");
    const literal = literalOf(url);
    if (literal === undefined) return undefined;
    if (kinds.size > 0 || isOwn(url)) return checkLiteral(url, literal);
    return learn(configured.hostname).then(() => checkLiteral(url, literal));
  }

  function checkLiteral(url: URL, literal: string): undefined {
    const refusal = findRefusal(url, literal);
    if (refusal !== undefined) throw new RefusedUrl(url, refusal);
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

/**
 * Guards a connection at the moment at which it is made. The name is resolved once, every address is checked, and the socket
 * connects to the addresses that were checked: a name that answers differently the second time is never asked a second time.
 */
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";

/** All addresses of a host name; rejects where there is none. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface AddressGuard {
  readonly resolve: Resolve;
  refuses(address: string): boolean;
}

/** The connection was not made: the host is, or resolves to, an address that the guard refuses. */
export class RefusedAddress extends Error {
  constructor() {
    super("the address is refused");
    this.name = "RefusedAddress";
  }
}

export const resolveName: Resolve = (hostname) => lookup(hostname, { all: true });

/** A host that is an address is never looked up, so it is checked here, in the form that parsing the URL gave it. */
export function isRefusedLiteral(url: URL, guard: AddressGuard): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(host) !== 0 && guard.refuses(host);
}

/** What a socket uses instead of the system's lookup. */
export function createLookup(guard: AddressGuard): LookupFunction {
  return (hostname, options, callback) => {
    const answer = async (): Promise<void> => {
      const found = await findAddresses(hostname, guard);
      if (found instanceof Error) callback(found, []);
      else if (options.all === true) callback(null, found);
      else callback(null, found[0]!.address, found[0]!.family);
    };
    void answer();
  };
}

/** One refused address refuses the name. */
async function findAddresses(
  hostname: string,
  guard: AddressGuard,
): Promise<LookupAddress[] | NodeJS.ErrnoException> {
  try {
    const addresses = [...(await guard.resolve(hostname))];
    const isRefused = addresses.length === 0 || addresses.some(({ address }) => guard.refuses(address));
    return isRefused ? new RefusedAddress() : addresses;
  } catch (error) {
    return error instanceof Error ? error : new Error("the name was not found", { cause: error });
  }
}

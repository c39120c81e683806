import { createAddressPolicy } from "./address-policy.ts";
import { createNodeFetch, type Fetch } from "./node-fetch.ts";

/** For whoever was named in the config: it may be anywhere, and leads nowhere nearer than it is. */
export function createGuardedFetch(origin: URL): Fetch {
  return createNodeFetch({ policy: createAddressPolicy(origin) }).fetch;
}

import { createAddressPolicy } from "./address-policy.ts";
import { createNodeFetch, type Fetch } from "./node-fetch.ts";

/** For the documents of an issuer: it may be anywhere, and leads nowhere nearer than it is. */
export function createIssuerFetch(issuer: URL): Fetch {
  return createNodeFetch({ policy: createAddressPolicy(issuer) }).fetch;
}

/**
 * Keeps web pages out, before anything else is looked at. A page that has the name of its own site resolve to this
 * machine (DNS rebinding) is known by its Host, any other page by its Origin. What is no browser sends no Origin.
 */
import { bareHostOf, isLoopbackHost, isWildcardHost, urlHostOf } from "./loopback.ts";

export interface AddressPolicy {
  /** What is listened on; the port that it really is. */
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string;
  /** Names, or names with a port. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

export type AddressCheck =
  | { readonly kind: "allowed" }
  | { readonly kind: "refused"; readonly status: 400 | 403; readonly message: string };

const ALLOWED: AddressCheck = { kind: "allowed" };
/** Names of this machine that are good whatever is listened on. */
const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "::1"];

/** A name has at most 253 characters, and a port goes with it. */
const HOST_LENGTH_MAX = 300;

interface HostAndPort {
  readonly host: string;
  readonly port: number | undefined;
}

/**
 * Takes every Host header of the request (`headersDistinct.host`): two of them mean that a sender hopes that we read
 * one and a proxy the other.
 */
export function checkHost(
  header: string | readonly string[] | undefined,
  policy: AddressPolicy,
): AddressCheck {
  const values = typeof header === "string" ? [header] : (header ?? []);
  const asked = values.length === 1 ? parseHost(values[0]!) : undefined;
  if (asked === undefined) {
    return {
      kind: "refused",
      status: 400,
      message: "A request needs exactly one Host header: host or host:port.",
    };
  }
  if (acceptedHosts(policy).some((accepted) => isSame(asked, accepted))) return ALLOWED;
  const message = `This gateway is not known as ${values[0]}. If it should be, add that to http.allowedHosts in its config.`;
  return { kind: "refused", status: 403, message };
}

/** Nothing beside a name or an address and a port: no user, no path, no list. */
function parseHost(text: string): HostAndPort | undefined {
  if (text.length > HOST_LENGTH_MAX) return undefined;
  const parts = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::(\d{1,5}))?$/i.exec(text);
  if (parts === null) return undefined;
  return { host: bareHostOf(parts[1]!), port: parts[2] === undefined ? undefined : Number(parts[2]) };
}

/** Without a port, any is good. */
function acceptedHosts({ host, port, publicUrl, allowedHosts }: AddressPolicy): HostAndPort[] {
  const own = [...LOOPBACK_NAMES, ...(isWildcardHost(host) ? [] : [bareHostOf(host)])];
  return [
    ...own.map((name) => ({ host: name, port })),
    ...(publicUrl === undefined ? [] : [hostOfUrl(publicUrl)]),
    ...allowedHosts.map(parseHost),
  ].filter((each) => each !== undefined);
}

function hostOfUrl(text: string): HostAndPort | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  const usual = url.protocol === "https:" ? 443 : 80;
  return { host: bareHostOf(url.hostname), port: url.port === "" ? usual : Number(url.port) };
}

/** A Host without a port is that of a proxy, or of the usual port: the name decides. */
function isSame(asked: HostAndPort, accepted: HostAndPort): boolean {
  if (asked.host !== accepted.host) return false;
  return asked.port === undefined || accepted.port === undefined || asked.port === accepted.port;
}

export function checkOrigin(
  header: string | readonly string[] | undefined,
  policy: AddressPolicy,
): AddressCheck {
  const values = typeof header === "string" ? [header] : (header ?? []);
  if (values.length === 0) return ALLOWED;
  const origin = values.length === 1 ? originOf(values[0]!) : undefined;
  if (origin !== undefined && acceptedOrigins(policy).includes(origin)) return ALLOWED;
  const message =
    "Pages of this origin may not use the gateway. If they should, add it to http.allowedOrigins in its config.";
  return { kind: "refused", status: 403, message };
}

/** An origin in one spelling; undefined for anything that has more to it than scheme, host and port, and for `null`. */
function originOf(text: string): string | undefined {
  const url = /^https?:\/\/[^/?#@\\\s]+$/i.test(text) ? URL.parse(text) : null;
  return url === null ? undefined : url.origin.replace(/\.(?=$|:\d+$)/, "");
}

function acceptedOrigins({ host, port, allowedOrigins }: AddressPolicy): string[] {
  const own = ownLoopbackNames(host).map((name) => originOf(`http://${urlHostOf(name)}:${port}`));
  const allowed = allowedOrigins.map((text) => originOf(text.replace(/\/$/, "")));
  return [...own, ...allowed].filter((origin) => origin !== undefined);
}

/** Who listens on `127.0.0.1` does not have `[::1]`: another user of the machine may, with the same port. */
function ownLoopbackNames(host: string): readonly string[] {
  if (isWildcardHost(host) || bareHostOf(host) === "localhost") return LOOPBACK_NAMES;
  return isLoopbackHost(host) ? ["localhost", host] : [];
}

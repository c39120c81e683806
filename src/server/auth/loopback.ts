/** What the names of hosts mean. */
import { isIP, isIPv4 } from "node:net";

/**
 * Whether only this machine can reach it. Odd spellings (`127.1`, `0x7f000001`) do not count: a person who means it
 * writes it plainly.
 */
export function isLoopbackHost(host: string): boolean {
  const name = bareHostOf(host);
  if (name === "localhost" || name === "::1") return true;
  const v4 = name.replace(/^::ffff:/, "");
  return isIPv4(v4) && v4.startsWith("127.");
}

/** Whether it means every interface of the machine. */
export function isWildcardHost(host: string): boolean {
  const name = bareHostOf(host);
  return name === "" || name === "0.0.0.0" || name === "::" || name === "::ffff:0.0.0.0";
}

/** In one spelling: lower case, no brackets, no dot at the end, IPv6 in its short form. */
export function bareHostOf(host: string): string {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  return isIP(name) === 6 ? shortIpv6Of(name) : name;
}

/** As it is written in a URL. */
export function urlHostOf(host: string): string {
  const name = bareHostOf(host);
  return isIP(name) === 6 ? `[${name}]` : name;
}

function shortIpv6Of(name: string): string {
  // A zone (`fe80::1%eth0`) is no part of a URL's host.
  const short = URL.parse(`http://[${name.split("%")[0]}]`)?.hostname.slice(1, -1) ?? name;
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short);
  if (mapped === null) return short;
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)];
  return `::ffff:${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

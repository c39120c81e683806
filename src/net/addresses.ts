/**
 * What an address leads to, judged by the resolved address and not by its spelling. An address that is not understood
 * counts as `special`.
 */
import { BlockList, isIP } from "node:net";

/**
 * - `public`: a host on the internet.
 * - `private`: a host of a network that is not the internet.
 * - `loopback`: this machine.
 * - `special`: neither; metadata services of clouds, link-local, multicast, reserved, and forms that can hide another
 *   address.
 */
export type AddressKind = "public" | "private" | "loopback" | "special";

type Subnets = readonly (readonly [string, number])[];

const LOOPBACK_V4: Subnets = [["127.0.0.0", 8]];

const PRIVATE_V4: Subnets = [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // carrier-grade NAT
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15], // benchmarks; in use by proxies that hand out addresses of their own for names
];

const SPECIAL_V4: Subnets = [
  ["0.0.0.0", 8], // this host
  ["100.100.100.200", 32], // the metadata service of a cloud
  ["169.254.0.0", 16], // link-local; metadata services of most clouds
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
];

const LOOPBACK_V6: Subnets = [["::1", 128]];

const PRIVATE_V6: Subnets = [["fc00::", 7]];

const SPECIAL_V6: Subnets = [
  ["::", 96], // unspecified, IPv4-compatible
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23], // Teredo and other protocols, which can hide an IPv4 address
  ["2001:db8::", 32],
  ["2002::", 16], // 6to4, which can hide an IPv4 address
  ["3fff::", 20],
  ["5f00::", 16],
  ["fd00:ec2::254", 128], // the metadata service of a cloud
  ["fe80::", 10], // link-local
  ["fec0::", 10],
  ["ff00::", 8], // multicast
];

/**
 * IPv4-mapped addresses are matched by the rules for IPv4. A NAT64 network reaches the IPv4 address at the end of
 * these.
 */
const NAT64 = { prefix: "64:ff9b::", bits: 96 };

const loopback = blockListOf(LOOPBACK_V4, LOOPBACK_V6);
const special = blockListOf(SPECIAL_V4, SPECIAL_V6);
const privates = blockListOf(PRIVATE_V4, PRIVATE_V6);

function blockListOf(v4: Subnets, v6: Subnets): BlockList {
  const list = new BlockList();
  for (const [address, bits] of v4) {
    list.addSubnet(address, bits, "ipv4");
    list.addSubnet(`${NAT64.prefix}${address}`, NAT64.bits + bits, "ipv6");
  }
  for (const [address, bits] of v6) list.addSubnet(address, bits, "ipv6");
  return list;
}

export function kindOfAddress(address: string): AddressKind {
  const [bare = ""] = address.split("%");
  const version = isIP(bare);
  if (version === 0) return "special";
  const family = version === 4 ? "ipv4" : "ipv6";
  if (loopback.check(bare, family)) return "loopback";
  if (special.check(bare, family)) return "special";
  return privates.check(bare, family) ? "private" : "public";
}

/** Everything that does not lead to a host on the public internet. */
export function isPrivateAddress(address: string): boolean {
  return kindOfAddress(address) !== "public";
}

/**
 * Which addresses are private: everything that does not lead to a host on the public internet. An address that is not
 * understood counts as private.
 */
import { BlockList, isIP } from "node:net";

const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8], // this host
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // carrier-grade NAT; metadata services of some clouds
  ["127.0.0.0", 8],
  ["169.254.0.0", 16], // link-local; metadata services of most clouds
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
];

const PRIVATE_V6: readonly (readonly [string, number])[] = [
  ["::", 96], // unspecified, loopback, IPv4-compatible
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23], // Teredo and other protocols, which can hide an IPv4 address
  ["2001:db8::", 32],
  ["2002::", 16], // 6to4, which can hide an IPv4 address
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7], // unique local
  ["fe80::", 10], // link-local
  ["fec0::", 10],
  ["ff00::", 8], // multicast
];

/** IPv4-mapped addresses are matched by the rules for IPv4. A NAT64 network reaches the IPv4 address at the end of these. */
const NAT64 = { prefix: "64:ff9b::", bits: 96 };

const privateAddresses = new BlockList();
for (const [address, bits] of PRIVATE_V4) {
  privateAddresses.addSubnet(address, bits, "ipv4");
  privateAddresses.addSubnet(`${NAT64.prefix}${address}`, NAT64.bits + bits, "ipv6");
}
for (const [address, bits] of PRIVATE_V6) privateAddresses.addSubnet(address, bits, "ipv6");

export function isPrivateAddress(address: string): boolean {
  const [bare = ""] = address.split("%");
  const family = isIP(bare);
  if (family === 0) return true;
  return privateAddresses.check(bare, family === 4 ? "ipv4" : "ipv6");
}

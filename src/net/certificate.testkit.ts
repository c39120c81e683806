/** A self-signed certificate for servers of tests: as little of X.509 as TLS takes. */
import { generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** For this address and this time. */
export function createCertificate(address: string, until: Date): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid("2a8648ce3d040302"));
  const name = sequence(tagged(0x31, sequence(oid("550403"), tagged(0x0c, Buffer.from("test")))));
  const addressBytes = Buffer.from(address.split(".").map(Number));
  const extensions = sequence(
    sequence(oid("551d11"), tagged(0x04, sequence(tagged(0x87, addressBytes)))),
    sequence(oid("551d13"), tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff]))))),
  );
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time(new Date(until.getTime() - 3_600_000)), time(until)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, extensions),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]);
  const der = sequence(body, algorithm, tagged(0x03, signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`,
  };
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\D/g, "").slice(0, 14);
  return tagged(0x18, Buffer.from(`${digits}Z`));
}

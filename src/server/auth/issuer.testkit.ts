/** An authorization server on loopback, with real keys: it publishes metadata and keys, and signs what a test says. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTHeaderParameters,
} from "jose";
import { onTestFinished } from "vitest";

export interface TestIssuer {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly publicJwk: JWK;
  /** What was asked for, in its order. */
  readonly asked: readonly string[];
  /** What is answered at a path; a number is a status. */
  readonly answers: Map<string, unknown>;
  /** Signs claims on top of good ones; undefined takes a claim away. */
  sign(claims?: Record<string, unknown>, options?: SignOptions): Promise<string>;
}

interface SignOptions {
  readonly header?: Partial<JWTHeaderParameters> & Record<string, unknown>;
  readonly key?: CryptoKey | Uint8Array;
}

/** The gate's clock stands here, so that no test depends on how fast it runs. */
export const NOW_S = 1_800_000_000;
export const AUDIENCE = "https://mcp.example.com/mcp";

export async function startIssuer({ path = "", alg = "ES256" } = {}): Promise<TestIssuer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk: JWK = { ...(await exportJWK(publicKey)), kid: "first", alg, use: "sig" };
  const asked: string[] = [];
  const answers = new Map<string, unknown>([["/keys", { keys: [publicJwk] }]]);
  const server = createServer((request, response) => {
    asked.push(request.url!);
    const answer = answers.get(request.url!) ?? 404;
    const isStatus = typeof answer === "number";
    response.writeHead(isStatus ? answer : 200, {
      "content-type": "application/json",
      ...(answer === 302 && { location: "/keys" }),
    });
    response.end(isStatus ? "" : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = origin + path;
  return {
    issuer,
    jwksUrl: `${origin}/keys`,
    publicJwk,
    asked,
    answers,
    async sign(claims = {}, { header = {}, key = privateKey } = {}) {
      const good = {
        iss: issuer,
        aud: AUDIENCE,
        sub: "ann",
        exp: NOW_S + 600,
        scope: "read call",
        ...claims,
      };
      return new SignJWT(good).setProtectedHeader({ alg, kid: "first", typ: "at+jwt", ...header }).sign(key);
    },
  };
}

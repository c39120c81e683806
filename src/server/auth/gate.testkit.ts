import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { silentLog } from "../../core/log.ts";
import { createGate, type Admission, type AdmissionRequest, type GateOAuth, type GateDeps } from "./gate.ts";
import { NOW_S, type TestIssuer } from "./issuer.testkit.ts";
import { watchTokens } from "./token-principals.ts";
import { openHomeTokens } from "./tokens.testkit.ts";

/** A gate over a home of its own, with the default token; both are gone when the test is. */
export function openGate({ home = temporaryFolder(), ...deps }: Partial<GateDeps> & { home?: string } = {}) {
  const tokens = openHomeTokens(home);
  const { token } = tokens.showDefault();
  const events: { event: string; fields: Record<string, unknown> | undefined }[] = [];
  const note = (event: string, fields?: Record<string, unknown>) => void events.push({ event, fields });
  const log = { ...silentLog, info: note, warn: note, error: note };
  const clock = deps.clock ?? { now: () => NOW_S * 1000, elapsed: () => 0 };
  const gate = createGate({ tokens: watchTokens(home, log, { clock }), log, clock, ...deps });
  onTestFinished(() => gate.close());
  const admit = (authorization: string | undefined, request: Partial<AdmissionRequest> = {}) =>
    gate.admit({ authorization, remote: "127.0.0.1", resource: "/mcp", ...request });
  return { gate, home, tokens, token, events, admit, bearer: (text: string) => admit(`Bearer ${text}`) };
}

export function oauthWith({ issuer, jwksUrl }: TestIssuer, more: Partial<GateOAuth> = {}): GateOAuth {
  const bases = ["https://mcp.example.com"];
  return { issuer, jwksUrl, scopes: {}, bases, fetch: (url, options) => fetch(url, options), ...more };
}

export function requireAdmitted(admission: Admission) {
  if (admission.kind === "refused") throw new Error(`refused: ${admission.message}`);
  return admission.principal;
}

export function requireRefused(admission: Admission) {
  if (admission.kind === "admitted") throw new Error(`${admission.principal.id} was admitted`);
  return admission;
}

/** A list as the cache stores it between processes, and how long it may be used. */
import { hashJson, type JsonLimits, type JsonObject, isJsonObject } from "../core/json.ts";
import type { CachedServer } from "../core/store.ts";
import type { Offer } from "../core/tool.ts";
import { admitOffer, type Admitted, type Rejection } from "../admission/admission.ts";
import { isEntryFinding } from "../admission/findings.ts";

export const TTL_MS_DEFAULT = 5 * 60_000;
/** A shorter word of the server would have it asked again by every request. */
const TTL_MS_MIN = 1000;
/** A longer one would hide a server's new tools for a day; `list_changed` is not sent by all. */
export const TTL_MS_MAX = 60 * 60_000;

/** Grows when the shape of `definitions` changes; an entry of another shape is read again from the server. */
const FORMAT = 1;
/** The bounds of the store: admission passes at most 4 MiB. */
const ENTRY_LIMITS: JsonLimits = { depthMax: 64, keyCountMax: 1_000_000, bytesMax: 64 * 1024 * 1024 };

/** What one server listed, after admission. */
export interface CachedList {
  readonly admitted: Admitted;
  readonly fetchedAt: number;
  readonly ttlMs: number;
  /** Of the config that the server was started with: another command under the same id is another server. */
  readonly configHash: string;
}

/** How long an offer may be kept, whatever the server says about it. */
export function clampTtl(
  hint: unknown,
  bounds: { readonly ttlMs: number; readonly ttlMsMax: number },
): number {
  if (typeof hint !== "number" || Number.isNaN(hint)) return bounds.ttlMs;
  return Math.floor(Math.min(Math.max(hint, Math.min(TTL_MS_MIN, bounds.ttlMsMax)), bounds.ttlMsMax));
}

/** Throws `JSON_LIMIT` if the list is too large for the store. */
export function toCached(server: string, list: CachedList): CachedServer {
  const { admitted, fetchedAt, ttlMs, configHash } = list;
  const definitions = { format: FORMAT, configHash, ...admitted } as unknown as JsonObject;
  return { server, configHash, definitions, hash: hashJson(definitions, ENTRY_LIMITS), fetchedAt, ttlMs };
}

/**
 * The stored list, or undefined if it has another shape. What an older version admitted is checked again.
 */
export function fromCached({ definitions, fetchedAt, ttlMs }: CachedServer): CachedList | undefined {
  const { format, configHash, rejected, findings } = definitions;
  if (format !== FORMAT || typeof configHash !== "string" || !Array.isArray(rejected)) return undefined;
  if (!Number.isFinite(fetchedAt) || !Number.isFinite(ttlMs)) return undefined;
  const admitted = admitOffer(definitions as unknown as Offer);
  const reported = [...rejected.filter(isRejection).map(withKind), ...admitted.rejected];
  // The texts are clear now: what they were cleared of is known from then.
  const found = [...(Array.isArray(findings) ? findings.filter(isEntryFinding) : []), ...admitted.findings];
  return { admitted: { ...admitted, rejected: reported, findings: found }, fetchedAt, ttlMs, configHash };
}

/** An earlier version stored no kind. */
function withKind(rejection: Rejection): Rejection {
  const { kind = rejection.code.endsWith("_tool") ? "tool" : "list" } = rejection as Partial<Rejection>;
  return { ...rejection, kind };
}

function isRejection(value: unknown): value is Rejection & JsonObject {
  return (
    isJsonObject(value) &&
    [value["code"], value["name"], value["reason"]].every((text) => typeof text === "string")
  );
}

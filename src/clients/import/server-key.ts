import { SERVER_ID_LENGTH_MAX } from "../../core/names.ts";
import { parseServerKey } from "../../config/entries/server-check.ts";
import type { ClientId } from "../client.ts";

/** A key, the server id that it gives, and why it is not the one that is written. */
export interface ServerKey {
  readonly key: string;
  readonly id: string;
  readonly change?: "taken" | "invalid";
}

/** The key as it is, or the nearest one that is valid and whose id is not taken: `<key>_<client>`, then with a number. */
export function chooseKey(written: string, client: ClientId, isTaken: (id: string) => boolean): ServerKey {
  const asWritten = parseServerKey(written);
  if (asWritten.ok && !isTaken(asWritten.id)) return { key: written, id: asWritten.id };
  const change = asWritten.ok ? "taken" : "invalid";
  for (let number = 1; ; number++) {
    const ending = `_${client}${number === 1 ? "" : `_${number}`}`;
    const key = `${shorten(written, SERVER_ID_LENGTH_MAX - ending.length)}${ending}`;
    const parsed = parseServerKey(key);
    if (parsed.ok && !isTaken(parsed.id)) return { key, id: parsed.id, change };
  }
}

/** What is left of a key that is too long, or that has characters which a key cannot have. */
function shorten(written: string, length: number): string {
  const plain = written.slice(0, 256).replace(/\p{Cc}+/gu, "_");
  const short = plain.length <= length ? plain : plain.slice(0, length);
  return short.replace(/[^A-Za-z0-9]+$/, "") || "server";
}

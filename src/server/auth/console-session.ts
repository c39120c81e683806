/**
 * How a browser proves who looks. `repertoire console` makes a link: sealed with a key of the store, good for a minute,
 * counted once by the store. Redeemed, it becomes a session: another sealed text, which the browser keeps in a cookie.
 *
 * Both name a token by its digest and hold nothing else that is secret. The session is good for exactly as long as the
 * token is: a token that was revoked, rotated or has expired ends every session of it. Nothing of a session is in the
 * memory of the process, so it survives a restart, and every process on the store knows it.
 */
import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { SealStore } from "../../core/store.ts";
import { openText, SEALING_KEY_BYTES, sealText } from "../../text/sealed-text.ts";

/** Long enough for a browser to start; a link that is read over a shoulder later is worth nothing. */
const LINK_MS = 60_000;
/** A working day, with lunch. */
const SESSION_MS = 12 * 60 * 60_000;
/** A page that is open asks all the time: one that has not asked for so long was left. */
const SESSION_IDLE_MS = 2 * 60 * 60_000;
/** How often the cookie is written again, so that not each answer carries one. */
const RENEW_MS = 60_000;

/** Only links of one minute must differ. */
const LINK_ID_BYTES = 9;

const KEY_NAME = "console";
const LINK = "console-link";
const SESSION = "console-session";

/** Who a link or a session speaks for. */
interface ConsoleOwner {
  /** SHA-256 of the token, in hex. */
  readonly digest: string;
  /** The profile through which they look; null for the gateway, or the only one that the token opens. */
  readonly profile: string | null;
}

export interface ConsoleSession extends ConsoleOwner {
  readonly id: string;
  /** When the link was redeemed. */
  readonly provedAt: number;
  readonly expiresAt: number;
  readonly seenAt: number;
}

interface Link extends ConsoleOwner {
  readonly id: string;
  readonly expiresAt: number;
}

/** Short, because people see it in a terminal: a list instead of an object, and base64url instead of hex. */
type WrittenLink = readonly [id: string, digest: string, profile: string | null, expiresAt: number];

function writeLink({ id, digest, profile, expiresAt }: Link): string {
  const written: WrittenLink = [id, Buffer.from(digest, "hex").toString("base64url"), profile, expiresAt];
  return JSON.stringify(written);
}

function readLink([id, digest, profile, expiresAt]: WrittenLink): Link {
  return { id, digest: Buffer.from(digest, "base64url").toString("hex"), profile, expiresAt };
}

export interface ConsoleSessions {
  makeLink(owner: ConsoleOwner): Promise<{ readonly link: string; readonly expiresAt: number }>;
  /** Opens a session with a link that was never redeemed. */
  redeem(link: string): Promise<ToolResult<ConsoleSession>>;
  /** As the cookie carries it. */
  seal(session: ConsoleSession): Promise<string>;
  /** Undefined for a cookie that was not made here, has expired, or whose session was closed. */
  read(cookie: string): Promise<ConsoleSession | undefined>;
  /** False once it was closed or has expired. */
  isOpen(session: ConsoleSession): Promise<boolean>;
  /** The session as seen now, where its cookie should be written again. */
  renewed(session: ConsoleSession): ConsoleSession | undefined;
  /** Ends it for good, in every tab and every process. */
  close(session: ConsoleSession): Promise<void>;
}

export function createConsoleSessions(store: SealStore, clock: Pick<Clock, "now">): ConsoleSessions {
  const loadKey = async (): Promise<Buffer> => (await store.key(KEY_NAME)).subarray(0, SEALING_KEY_BYTES);
  /** What only we can have written. */
  const open = async <T>(about: string, sealed: string): Promise<T | undefined> => {
    const text = openText(await loadKey(), about, sealed);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  };

  async function isOpen(session: ConsoleSession): Promise<boolean> {
    return session.expiresAt > clock.now() && !(await store.isSpent(closedIdOf(session)));
  }

  return {
    async makeLink({ digest, profile }) {
      const expiresAt = clock.now() + LINK_MS;
      const link: Link = { id: randomBytes(LINK_ID_BYTES).toString("base64url"), digest, profile, expiresAt };
      return { link: sealText(await loadKey(), LINK, writeLink(link)), expiresAt };
    },
    async redeem(sealed) {
      const written = await open<WrittenLink>(LINK, sealed);
      if (written === undefined) return refuseLink("is not one of this gateway");
      const link = readLink(written);
      if (link.expiresAt <= clock.now()) return refuseLink("has expired");
      if (!(await store.spend(`${LINK}:${link.id}`, link.expiresAt))) return refuseLink("was used already");
      const now = clock.now();
      const { digest, profile } = link;
      return succeed({
        id: randomUUID(),
        digest,
        profile,
        provedAt: now,
        expiresAt: now + SESSION_MS,
        seenAt: now,
      });
    },
    async seal(session) {
      return sealText(await loadKey(), SESSION, JSON.stringify(session));
    },
    async read(cookie) {
      const session = await open<ConsoleSession>(SESSION, cookie);
      if (session === undefined || session.seenAt + SESSION_IDLE_MS <= clock.now()) return undefined;
      return (await isOpen(session)) ? session : undefined;
    },
    isOpen,
    renewed(session) {
      const now = clock.now();
      return now - session.seenAt < RENEW_MS ? undefined : { ...session, seenAt: now };
    },
    async close(session) {
      await store.spend(closedIdOf(session), session.expiresAt);
    },
  };
}

function closedIdOf({ id }: ConsoleSession): string {
  return `${SESSION}:${id}`;
}

function refuseLink(what: string): ToolResult<never> {
  return fail("SECURITY_ERROR", `This link ${what}.`, {
    reason: "link_refused",
    hint: "A link is good for one minute and once. Get a new one with: repertoire console",
  });
}

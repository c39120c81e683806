/**
 * Where a description is kept, and what it said when it was last read. A file is read again when it is another one by its size,
 * time or number; an address when somebody asks for the list. A description that could not be read is not read again before it
 * changed, or a moment has passed.
 */
import { watchFile, unwatchFile, type Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { messageOf } from "../core/errors.ts";
import { hashText } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { createAddressPolicy } from "../net/address-policy.ts";
import { SingleFlight } from "../timing/single-flight.ts";
import type { ApiDescription } from "./api-description.ts";
import { sendRequest } from "./calling/send-request.ts";
import type { DescriptionReader } from "./description-reader.ts";
import { DESCRIPTION_BYTES_MAX } from "./reading/limits.ts";

export interface DescriptionPlace {
  /** The same object for as long as nothing changed. `isFresh` asks an address again. */
  read(options: { readonly isFresh: boolean }): Promise<ToolResult<ReadDescription>>;
  /** What was last read. */
  readonly last: ReadDescription | undefined;
  /** Tells that a file has changed. */
  watch(listener: () => void): void;
  close(): void;
}

export interface ReadDescription {
  readonly description: ApiDescription;
  /** What its relative servers start from; undefined for a file. */
  readonly url?: URL;
}

export interface PlaceDeps {
  readonly reader: DescriptionReader;
  readonly userAgent: string;
  /** Of the config, where they belong to the origin of the description. */
  readonly headers: Readonly<Record<string, string>>;
}

export function isAddress(location: string): boolean {
  return /^https?:/i.test(location);
}

export function createDescriptionPlace(location: string, deps: PlaceDeps): DescriptionPlace {
  return isAddress(location) ? createRemotePlace(new URL(location), deps) : createFilePlace(location, deps);
}

// ── a file ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A change of a file is noticed within this time. */
const WATCH_MS = 2_000;

function createFilePlace(path: string, { reader }: PlaceDeps): DescriptionPlace {
  const flight = new SingleFlight<ToolResult<ReadDescription>>();
  let known: { readonly mark: string; readonly result: ToolResult<ReadDescription> } | undefined;
  let last: ReadDescription | undefined;
  let watching: ((now: Stats, before: Stats) => void) | undefined;

  async function read(): Promise<ToolResult<ReadDescription>> {
    const mark = await markOf(path);
    if (known?.mark === mark) return known.result;
    const description = await reader.read({ path });
    const result = description.success ? succeed({ description: description.data }) : description;
    // Written while it was read: what was read is of neither state, and is read again with the next question.
    if ((await markOf(path)) === mark) known = { mark, result };
    if (result.success) last = result.data;
    return result;
  }

  return {
    read: () => flight.run(read),
    get last() {
      return last;
    },
    watch(listener) {
      if (watching !== undefined) return;
      watching = (now, before) => {
        const isOther = now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino;
        if (isOther) listener();
      };
      watchFile(path, { interval: WATCH_MS, persistent: false }, watching);
    },
    close() {
      if (watching !== undefined) unwatchFile(path, watching);
    },
  };
}

async function markOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeMs }: Stats = await stat(path);
    return [dev, ino, size, mtimeMs].join(" ");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? messageOf(error);
  }
}

// ── an address ──────────────────────────────────────────────────────────────────────────────────────────────────────

const FETCH_MS = 30_000;
/** An address that failed is left alone for this time, however many calls need it. */
const FAILURE_MS = 10_000;

function createRemotePlace(url: URL, { reader, headers, userAgent }: PlaceDeps): DescriptionPlace {
  const flight = new SingleFlight<ToolResult<ReadDescription>>();
  let last: (ReadDescription & { readonly hash: string }) | undefined;
  let failed: { readonly at: number; readonly result: ToolResult<never> } | undefined;

  async function read(): Promise<ToolResult<ReadDescription>> {
    const fetched = await fetchText(url, { headers, userAgent });
    if (!fetched.success) return fetched;
    const { text, from } = fetched.data;
    const hash = hashText(text);
    if (last?.hash === hash) return succeed(last);
    const description = await reader.read({ text });
    if (!description.success) return description;
    last = { description: description.data, url: from, hash };
    return succeed(last);
  }

  return {
    async read({ isFresh }) {
      if (last !== undefined && !isFresh) return succeed(last);
      if (failed !== undefined && performance.now() - failed.at < FAILURE_MS) return failed.result;
      const result = await flight.run(read);
      failed = result.success ? undefined : { at: performance.now(), result };
      return result;
    },
    get last() {
      return last;
    },
    watch() {},
    close() {},
  };
}

async function fetchText(
  url: URL,
  { headers, userAgent }: Pick<PlaceDeps, "headers" | "userAgent">,
): Promise<ToolResult<{ readonly text: string; readonly from: URL }>> {
  const { createHttpClient } = await import("../net/http-client.ts");
  const policy = createAddressPolicy(url);
  const client = createHttpClient({ policy, keepsConnections: false, bytesMax: DESCRIPTION_BYTES_MAX });
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const asked = [
    ["user-agent", userAgent],
    ["accept", "application/json, application/yaml, text/yaml, */*;q=0.5"],
  ] as const;
  try {
    const request = { url, method: "GET", headers: new Map([...asked, ...own]) };
    const response = await sendRequest(request, client.fetch, AbortSignal.timeout(FETCH_MS));
    const text = await response.text();
    if (response.ok) return succeed({ text, from: new URL(response.url) });
    return refuse(`${url.origin} answered with HTTP ${response.status}`);
  } catch (error) {
    return refuse(`it could not be fetched from ${url.origin}: ${messageOf(error)}`);
  }
}

function refuse(why: string): ToolResult<never> {
  return fail("TOOL_UNAVAILABLE", why, { reason: "bad_description" });
}

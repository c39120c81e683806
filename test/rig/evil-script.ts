/** What an evil upstream does wrong, as JSON. An empty script is a well-behaved server. */
import { existsSync, readFileSync } from "node:fs";

export interface EvilScript {
  readonly name?: string;
  /** `silent` reads everything and answers nothing. Default: both. */
  readonly era?: "legacy" | "modern" | "both" | "silent";
  /** The answer to a legacy `initialize`, whatever was asked for. */
  readonly protocolVersion?: string;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly instructions?: string;
  /** Definitions as they go on the wire; nothing checks them. */
  readonly tools?: readonly unknown[];
  /** The n-th listing gets the n-th list, then it begins again: a rug pull. */
  readonly toolLists?: readonly (readonly unknown[])[];
  /** So many tools `tool_0`, `tool_1`, … in place of a list that would not fit into a command line. */
  readonly toolCount?: number;
  readonly pages?: EvilPages;
  /** Gets a line for each `tools/call` that arrives, before anything goes wrong: the effects that really happened. */
  readonly countFile?: string;
  /** Gets a line of JSON for the start, each message and each HTTP request that arrives. */
  readonly journalFile?: string;
  readonly rules?: readonly EvilRule[];
  /** Happens once, before the first message is read. */
  readonly onStart?: EvilFault;
  /** Happens at `initialize` and at `server/discover`. */
  readonly onInitialize?: EvilFault;
  readonly exitAfter?: EvilExit & { readonly messages: number };
  readonly ignoreStdinEnd?: boolean;
  readonly ignoreSigterm?: boolean;
  /** Children of its own, as `npx` has them; their pids are in the journal. */
  readonly grandchildCount?: number;
  /** It ends itself after this time, so that no failed test leaves it behind. Default: two minutes. */
  readonly lifeMs?: number;
  readonly http?: {
    /** Answer every request with an event stream. */
    readonly sse?: boolean;
    /** Hand out a legacy session id and ask for it. */
    readonly session?: boolean;
    /** The only bearer token that it takes; 401 otherwise. */
    readonly bearer?: string;
  };
}

interface EvilPages {
  readonly size: number;
  /** After the last page: the same cursor again, or a new one each time. */
  readonly endless?: "same-cursor" | "new-cursor";
}

export interface EvilExit {
  readonly code?: number;
  readonly signal?: NodeJS.Signals;
}

/** A fault for the messages that it matches; where several match, the later ones add to the earlier ones. */
export interface EvilRule extends EvilFault {
  /** Any method, if left out. */
  readonly method?: string;
  /** Only `tools/call` of this tool. */
  readonly tool?: string;
  /** Only these of the matching messages, counted from 1. */
  readonly nth?: number | readonly number[];
  /** Only this one of the matching messages and those after it. */
  readonly from?: number;
}

export type Garbage = "text" | "ansi" | "bom" | "not-json-rpc" | "half-json" | "empty" | "binary";

export interface EvilFault {
  /** A cancel does not stop it, so the answer to a cancelled request comes all the same. */
  readonly delayMs?: number;

  /** Stdio only, before the answer. */
  readonly garbage?: true | readonly Garbage[];
  /** Lines of noise. */
  readonly floodStdout?: number;
  /** Bytes. */
  readonly floodStderr?: number;
  /** No further byte of stdin is read. */
  readonly stopReading?: boolean;

  /** Progress notifications, if the request has a token. */
  readonly progress?: number;
  readonly notify?: readonly EvilNotification[];
  /** A request to the client; its answer is echoed as `structuredContent.answer`. */
  readonly request?: { readonly method: string; readonly params?: unknown; readonly limitMs?: number };
  /** Modern: these input requests first, and then the client's responses as `structuredContent.answer`. */
  readonly inputRequired?: Readonly<Record<string, { readonly method: string; readonly params?: unknown }>>;

  readonly never?: boolean;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** Stands in place of the result. */
  readonly result?: unknown;
  /** Bytes of text in place of the content. */
  readonly bigResult?: number;
  /** What stands in the answer beside `jsonrpc` and `id`, as text: for what no JSON.stringify would write. */
  readonly rawBody?: string;
  /** The id is written after everything else. */
  readonly idLast?: boolean;
  /** So many bytes on stdout without the end of a line, before the answer. */
  readonly endlessLine?: number;

  /** The answer carries an id that nobody asked with. */
  readonly wrongId?: boolean;
  /** The answer to 1 has the id "1". */
  readonly stringId?: boolean;
  readonly duplicate?: boolean;

  /** All messages of the answer in one write: on stdio one chunk. */
  readonly oneChunk?: boolean;
  /** Byte by byte (keep such answers short), or one cut inside each character of several bytes. */
  readonly splitUtf8?: "bytes" | "characters";
  readonly crlf?: boolean;

  /** `middle`: after half of the answer. Default: before. */
  readonly exit?: EvilExit & { readonly when?: "before" | "middle" | "after" };
  readonly http?: EvilHttpFault;
}

interface EvilNotification {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly times?: number;
}

export interface EvilHttpFault {
  readonly status?: number;
  /** The `location`; the status is 302 if none is given. */
  readonly redirect?: string;
  readonly retryAfter?: string | number;
  /** Sent as it is, in place of the answer. */
  readonly body?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** So many zero bytes, gzipped. */
  readonly gzipBomb?: number;
  /** Answer this one with an event stream. */
  readonly sse?: boolean;
  /** So many whole events, half of the next one, and the connection is gone. */
  readonly cutSseAfter?: number;
  /** An event stream of comments that neither answers nor ends. */
  readonly endlessSse?: boolean;
  /** An event stream that ends without an answer. */
  readonly emptySse?: boolean;
  /** The connection is reset instead of an answer. */
  readonly reset?: boolean;
}

/** Inline JSON, or the path of a file with it. */
export function loadScript(argument: string | undefined): EvilScript {
  if (argument === undefined) return {};
  const text = existsSync(argument) ? readFileSync(argument, "utf8") : argument;
  return JSON.parse(text) as EvilScript;
}

/**
 * Carries whole JSON-RPC messages, in the shape of the SDK's `Transport`, so that its HTTP transports and our child
 * process are interchangeable. A transport does not check what the messages mean.
 */
export interface Transport {
  /** Whether each request has a stream of its own, which ends with `requestSignal`, as over HTTP. */
  readonly hasPerRequestStream?: boolean | undefined;
  start(): Promise<void>;
  /** Resolves when the message is on its way; rejects when the transport is closed or has no room for too long. */
  send(message: JsonRpcMessage, options?: SendOptions): Promise<void>;
  close(): Promise<void>;
  /** Tells the negotiated version to a transport that must repeat it, as HTTP does in a header. */
  setProtocolVersion?: ((version: string) => void) | undefined;
  onmessage?: ((message: JsonRpcMessage) => void) | undefined;
  /** An answer came that the transport cannot deliver: whose it was, and why. */
  onunusable?: ((id: unknown, why: UnusableAnswer) => void) | undefined;
  /** Called once, when nothing more will arrive. */
  onclose?: (() => void) | undefined;
  /** Why it was closed, where the transport itself did it. */
  readonly endReason?: string | undefined;
  /** Something was odd and the transport goes on. */
  onerror?: ((error: Error) => void) | undefined;
}

/** Why an answer cannot be used: a word for it, and where it is wrong. */
export interface UnusableAnswer {
  readonly reason: "malformed_answer" | "answer_too_large" | "answer_too_deep" | "no_answer";
  readonly problem: string;
  /** It may mean that the server no longer knows our session: the next call opens a new one. */
  readonly endsSession?: boolean;
}

export interface SendOptions {
  readonly requestSignal?: AbortSignal;
  /** Called when the stream of this request has ended, with or without an answer, and will not be taken up again. */
  readonly onRequestStreamEnd?: () => void;
  /** Other requests are under way: it may go out with theirs, at the end of this turn of the event loop. */
  readonly together?: boolean;
  /** For this message's own HTTP request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One JSON-RPC message: a request, a notification or a response. */
export type JsonRpcMessage = { readonly jsonrpc: "2.0" } & Readonly<Record<string, unknown>>;

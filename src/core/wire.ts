/**
 * A connection that carries whole JSON-RPC messages, in the shape of the SDK's `Transport`, so that its HTTP transports and our
 * process stand side by side. A wire neither knows nor checks what the messages mean.
 */
export interface Wire {
  /** Whether each request has a stream of its own, which ends with `requestSignal`, as over HTTP. */
  readonly hasPerRequestStream?: boolean | undefined;
  start(): Promise<void>;
  /** Resolves when the message is on its way; rejects when the wire is closed or has no room for too long. */
  send(message: WireMessage, options?: SendOptions): Promise<void>;
  close(): Promise<void>;
  /** Tells the negotiated version to a wire that must repeat it, as HTTP does in a header. */
  setProtocolVersion?: ((version: string) => void) | undefined;
  onmessage?: ((message: WireMessage) => void) | undefined;
  /** Called once, when nothing more will arrive. */
  onclose?: (() => void) | undefined;
  /** Something was odd and the wire goes on. */
  onerror?: ((error: Error) => void) | undefined;
}

interface SendOptions {
  readonly requestSignal?: AbortSignal;
  /** For this message's own HTTP request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One JSON-RPC message: a request, a notification or a response. */
export type WireMessage = { readonly jsonrpc: "2.0" } & Readonly<Record<string, unknown>>;

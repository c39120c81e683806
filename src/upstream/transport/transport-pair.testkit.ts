import type { Transport, JsonRpcMessage } from "./transport.ts";

/** Two ends of a connection in memory: what one sends the other receives, in order, a turn later. */
export function createTransportPair(): [TestTransport, TestTransport] {
  const left = new TestTransport();
  const right = new TestTransport();
  left.other = right;
  right.other = left;
  return [left, right];
}

export class TestTransport implements Transport {
  other: TestTransport | undefined;
  readonly sent: JsonRpcMessage[] = [];
  isClosed = false;
  onmessage: ((message: JsonRpcMessage) => void) | undefined;
  onclose: (() => void) | undefined;

  async start(): Promise<void> {}

  async send(message: JsonRpcMessage): Promise<void> {
    if (this.isClosed) throw new Error("the transport is closed");
    this.sent.push(message);
    const copy = JSON.parse(JSON.stringify(message)) as JsonRpcMessage;
    queueMicrotask(() => this.other?.onmessage?.(copy));
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.onclose?.();
    await this.other?.close();
  }
}

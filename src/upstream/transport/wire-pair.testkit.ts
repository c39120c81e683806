import type { Wire, WireMessage } from "./wire.ts";

/** Two ends of a connection in memory: what one sends the other receives, in order, a turn later. */
export function createWirePair(): [TestWire, TestWire] {
  const left = new TestWire();
  const right = new TestWire();
  left.other = right;
  right.other = left;
  return [left, right];
}

export class TestWire implements Wire {
  other: TestWire | undefined;
  readonly sent: WireMessage[] = [];
  isClosed = false;
  onmessage: ((message: WireMessage) => void) | undefined;
  onclose: (() => void) | undefined;

  async start(): Promise<void> {}

  async send(message: WireMessage): Promise<void> {
    if (this.isClosed) throw new Error("the wire is closed");
    this.sent.push(message);
    const copy = JSON.parse(JSON.stringify(message)) as WireMessage;
    queueMicrotask(() => this.other?.onmessage?.(copy));
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.onclose?.();
    await this.other?.close();
  }
}

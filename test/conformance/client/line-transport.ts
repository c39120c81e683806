import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/** A stdio connection within one process: the SDK's client at this end, the gateway's two streams at the other. */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly toGateway = new PassThrough();
  readonly fromGateway = new PassThrough();

  async start(): Promise<void> {
    const lines = createInterface({ input: this.fromGateway });
    lines.on("line", (line) => this.onmessage?.(JSON.parse(line) as JSONRPCMessage));
    lines.on("close", () => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.toGateway.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.toGateway.end();
    this.fromGateway.end();
  }
}

import type { Isolation } from "../process/isolation/isolation.ts";

/** What is needed to reach one server; the composition root makes it from the config. */
export interface UpstreamConfig {
  readonly id: string;
  readonly transport: TransportConfig;
  /** How long one call may take without an answer; progress starts the time again. */
  readonly callTimeoutMs: number;
  /** How long start and handshake may take together. */
  readonly connectTimeoutMs: number;
  /** How long they may take while the process still writes to stderr; without it, no longer. */
  readonly startMsMax?: number;
  /** A server that was not used for so long is stopped until it is needed again; 0 means never. */
  readonly idleMs: number;
}

export type TransportConfig =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
      /** What it may reach, for a server that is isolated. */
      readonly isolation?: Isolation;
      /** What no isolated server sees, whatever its config says. */
      readonly keptAway?: readonly string[];
    }
  | {
      readonly kind: "http" | "sse";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

import type { JsonObject } from "../core/json.ts";

/** What is known of a node type; `missing` has the message and the nearest names of the look-up. */
export type KnownNodeType =
  | {
      readonly kind: "known";
      readonly inputSchema: JsonObject;
      readonly outputSchema?: JsonObject;
      /** Parameters that are taken as they are written: no template in them is filled in. */
      readonly rawParams: readonly string[];
    }
  | {
      readonly kind: "missing";
      readonly message: string;
      readonly nearest: readonly string[];
      /** The config forbids it. */
      readonly isDenied?: boolean;
    };

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
      /** What can be done, where the look-up knows more than that another name may be meant. */
      readonly hint?: string | undefined;
      /** The config forbids it. */
      readonly isDenied?: boolean;
    };

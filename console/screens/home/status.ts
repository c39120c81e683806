import type { Answer } from "../../api/client.ts";

/** Everything at a glance, as the gateway has it. */
export type Status = Answer<"getStatus">;

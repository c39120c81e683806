import type { Answer } from "../../api/client.ts";

export type ServerDetails = Answer<"getServer">;

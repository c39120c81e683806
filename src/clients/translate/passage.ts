import type { ClientId, ClientPlace } from "../client.ts";
import type { Fields } from "./entry-fields.ts";
import type { Rewriting } from "./variables.ts";
import type { WrittenServer } from "../read/written-server.ts";

/** An entry on its way from a client's shape to ours. */
export interface Passage {
  readonly client: ClientId;
  readonly place: ClientPlace;
  readonly written: WrittenServer;
  readonly fields: Fields;
  readonly rewriting: Rewriting;
}

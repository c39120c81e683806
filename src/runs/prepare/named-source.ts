import type { CapabilityKind } from "../../core/store.ts";
import type { Bound } from "./tool-directory.ts";

/** Something that can run, by a name. */
export interface NamedSource {
  readonly kind: CapabilityKind;
  readonly source: string;
  /** Its place in a path: the tool of a capability, or a draft. */
  readonly tool: string;
  /** Of a capability. */
  readonly id?: string;
  readonly version?: number;
  /** What a capability was kept with. */
  readonly uses?: Bound;
  /** Names of inputs that must not be stored. */
  readonly sensitive: readonly string[];
}

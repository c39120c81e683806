import type { App } from "../../app/app.ts";
import { codeNameOf } from "../../core/names.ts";
import type { CapabilityKind, Run } from "../../core/store.ts";

/** What ran: its text, and what kind of text it is. */
export interface RanSource {
  readonly text: string;
  readonly kind: CapabilityKind | "call";
}

/** Undefined where it is not there any more. */
export async function sourceOf({ store }: App, run: Run): Promise<RanSource | undefined> {
  const { source, kind, capabilityId, capabilityVersion } = run;
  if (source !== null) return { text: source, kind: kind === "capability" ? "code" : kind };
  if (capabilityId === null) return undefined;
  const version = await store.capabilities.version(capabilityId, capabilityVersion ?? 1);
  const capability = await store.capabilities.get(capabilityId);
  return version && capability && { text: version.source, kind: capability.kind };
}

/** The lines of the source that call a tool, from 1. */
export type FindLines = (tool: string) => readonly number[] | undefined;

export async function findLines(app: App, run: Run): Promise<FindLines> {
  const source = await sourceOf(app, run);
  if (source?.kind !== "code") return () => undefined;
  const places = await app.runs.callPlaces(source.text);
  return (exposed) => {
    if (!exposed.includes("__")) return undefined;
    const { namespace, tool } = codeNameOf(exposed);
    return places.get(`${namespace}.${tool}`);
  };
}

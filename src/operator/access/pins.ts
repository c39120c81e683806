/** What servers offer and nobody has approved, and the decisions on it. */
import type { App, PinView } from "../../app/app.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import { quote } from "../../text/quote.ts";
import type { Handlers, Viewer } from "../operator.ts";

export const pinHandlers: Handlers<"listPins" | "decidePins"> = {
  async listPins({ app }, _viewer, { query: { server, all } }) {
    const found = await listPins(app, server, all === "true");
    return found.success ? succeed({ pins: found.data.map(viewPin) }) : found;
  },
  async decidePins({ app }, viewer, { params: { server }, body: { approve, pins } }) {
    const known = await app.pinReview.list(server);
    if (known.length === 0) return nothingPinned(server, []);
    const chosen = pins.map(({ kind, name, offered_hash: offeredHash }) => ({
      server,
      kind: kind as PinView["kind"],
      name,
      offeredHash,
    }));
    return succeed(
      await decidePins(app, { server, isApproved: approve, pins: identityLast(chosen) }, viewer),
    );
  },
};

/** Of one server or of all; without `all`, those that wait for a person. */
export async function listPins(
  { pinReview }: Pick<App, "pinReview">,
  server: string | undefined,
  all: boolean,
): Promise<ToolResult<readonly PinView[]>> {
  const pins = await pinReview.list(server);
  if (server !== undefined && pins.length === 0) return nothingPinned(server, await pinReview.list());
  return succeed(all ? pins : pins.filter(isOpen));
}

export function nothingPinned(server: string, all: readonly PinView[]): ToolResult<never> {
  const near = nearest(server, [...new Set(all.map((pin) => pin.server))]);
  return fail("TOOL_NOT_FOUND", `Nothing is on record of a server ${quote(server)}.${didYouMean(near)}`, {
    field: "server",
    nearest: near,
    hint: "A server is on record once its tools were listed: repertoire tools",
  });
}

/** Whether a person has something to decide about it. */
export function isOpen({ status }: Pick<PinView, "status">): boolean {
  return status !== "approved";
}

/** As `--json` has it. */
export function viewPin({ approvedAt, approvedBy, offeredHash, usedBy, ...pin }: PinView) {
  return {
    ...pin,
    reasons: [...pin.reasons],
    changes: pin.changes.map((change) => ({ ...change })),
    approved_at: approvedAt,
    approved_by: approvedBy,
    offered_hash: offeredHash,
    used_by: [...usedBy],
  };
}

type ShownPin = Pick<PinView, "server" | "kind" | "name" | "offeredHash">;
type PinKey = { kind: string; name: string };

/** Once the identity is approved, everything else of the server is looked at again. */
export function identityLast<P extends Pick<PinView, "kind">>(pins: readonly P[]): P[] {
  const isLast = ({ kind }: P) => Number(kind === "identity");
  return pins.toSorted((a, b) => isLast(a) - isLast(b));
}

/** Decides on exactly what was shown; `changed` are those that offer something else by now. */
export async function decidePins(
  { pinReview }: Pick<App, "pinReview">,
  {
    server,
    isApproved,
    pins,
  }: {
    readonly server: string;
    readonly isApproved: boolean;
    readonly pins: readonly ShownPin[];
  },
  { principal }: Pick<Viewer, "principal"> = { principal: undefined },
) {
  const [decided, changed]: [PinKey[], PinKey[]] = [[], []];
  const context = principal === undefined ? {} : { principal };
  for (const pin of pins) {
    const outcome = await pinReview.decide(pin, isApproved, context);
    (outcome === "decided" ? decided : changed).push({ kind: pin.kind, name: pin.name });
  }
  return isApproved ? { server, approved: decided, changed } : { server, rejected: decided, changed };
}

/**
 * The channels to a server that have an owner: what the server asks on one of them goes to its owner.
 *
 * - A legacy client has one for itself, for as long as it is there.
 * - A call of a modern client has one for itself for as long as it is under way. Afterwards the next call with the same
 *   capabilities of the same principal may have it: to the server it is the same client.
 * - A channel on which a call was given up without an answer is not used again: the server may still ask for that call.
 *
 * Each channel may be a process, so there are few. At the limit the channel that was not used for longest is closed for
 * the next; while all are in use, a call waits for one as long as it may take. Some are kept for principals that have
 * none.
 */
import type { Clock } from "../../core/clock.ts";
import { canonicalJson, type JsonObject } from "../../core/json.ts";
import { fail, type ToolResult } from "../../core/result.ts";
import { Share } from "../../timing/share.ts";
import type { CallContext, ClientHandle } from "../../core/tool.ts";
import type { Channel } from "./channel.ts";

/** As many clients at once as one gateway may bring upon a server with a process for each. */
export const CHANNEL_COUNT_MAX = 16;
/** On top, for principals that have none. */
const CHANNEL_RESERVED_COUNT = 4;

export type Owner =
  | { readonly kind: "client"; readonly client: ClientHandle }
  | { readonly kind: "call"; readonly capabilities: JsonObject; readonly key: string };

/** The owner of a channel for a call of a modern client. */
export function callOwner(capabilities: JsonObject, { principal }: CallContext): Owner {
  return { kind: "call", capabilities, key: canonicalJson([principal?.id ?? null, capabilities]) };
}

interface PooledChannel {
  readonly channel: Channel;
  readonly owner: Owner;
  /** The principal that it counts for. */
  readonly payer: string;
  readonly retire: () => void;
  /** Calls that have the channel now. */
  userCount: number;
  /** Grows with every use of any channel. */
  usedAt: number;
}

export interface ChannelPoolDeps {
  readonly server: string;
  readonly clock: Clock;
  readonly callTimeoutMs: number;
  readonly open: (owner: Owner, onIdle: () => void) => Channel;
}

export class ChannelPool {
  readonly #deps: ChannelPoolDeps;
  readonly #channels = new Set<PooledChannel>();
  readonly #closing = new Set<Promise<void>>();
  /** No longer used; each finishes its start before it closes. */
  readonly #retired = new Set<Channel>();
  readonly #waiting = new Set<() => void>();
  readonly #share = new Share({ countMax: CHANNEL_COUNT_MAX, reservedCount: CHANNEL_RESERVED_COUNT });
  #useCount = 0;
  #isClosed = false;

  constructor(deps: ChannelPoolDeps) {
    this.#deps = deps;
  }

  get count(): number {
    return this.#channels.size;
  }

  /** The channel of a client, if it has one. */
  of(client: ClientHandle): Channel | undefined {
    for (const { channel, owner } of this.#channels) {
      if (owner.kind === "client" && owner.client === client) return channel;
    }
    return undefined;
  }

  /** Makes a call on a channel of the owner's. */
  async use<T>(
    owner: Owner,
    context: CallContext,
    call: (channel: Channel) => Promise<ToolResult<T>>,
  ): Promise<ToolResult<T>> {
    if (owner.kind === "client" && owner.client.gone.aborted)
      return fail("CANCELLED", "The client has disconnected.");
    const taken = this.#take(owner, context) ?? (await this.#wait(owner, context));
    if ("success" in taken) return taken;
    try {
      return await call(taken.channel);
    } finally {
      this.#giveBack(taken);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const own of this.#channels) this.#retire(own);
    this.#wake();
    await Promise.allSettled([...this.#closing, ...[...this.#retired].map((channel) => channel.close())]);
  }

  #take(owner: Owner, context: CallContext): PooledChannel | undefined {
    if (this.#isClosed) return undefined;
    const own = this.#find(owner) ?? this.#open(owner, payerOf(context));
    if (own === undefined) return undefined;
    own.userCount++;
    own.usedAt = ++this.#useCount;
    return own;
  }

  #find(owner: Owner): PooledChannel | undefined {
    for (const own of this.#channels) {
      if (owner.kind === "client" && own.owner.kind === "client" && own.owner.client === owner.client) {
        return own;
      }
      const isFree = owner.kind === "call" && own.owner.kind === "call" && own.userCount === 0;
      if (isFree && own.owner.key === owner.key) return own;
    }
    return undefined;
  }

  #open(owner: Owner, payer: string): PooledChannel | undefined {
    if (!this.#share.take(payer)) return undefined;
    const retire = (): void => this.#retire(own);
    const channel = this.#deps.open(owner, retire);
    const own: PooledChannel = { channel, owner, payer, retire, userCount: 0, usedAt: 0 };
    this.#channels.add(own);
    if (owner.kind === "client") {
      owner.client.gone.addEventListener("abort", retire, { once: true });
      // Its other calls wait for a channel as well, and this is theirs too.
      this.#wake();
    }
    return own;
  }

  #giveBack(own: PooledChannel): void {
    own.userCount--;
    if (own.owner.kind === "call" && own.channel.strays.size > 0) this.#retire(own);
    this.#wake();
  }

  /** It counts until it has ended: a process that takes its time is there for so long. */
  #retire(own: PooledChannel): void {
    if (!this.#channels.delete(own)) return;
    if (own.owner.kind === "client") own.owner.client.gone.removeEventListener("abort", own.retire);
    this.#retired.add(own.channel);
    const closing = own.channel.close({ finishStart: true }).finally(() => {
      this.#retired.delete(own.channel);
      this.#closing.delete(closing);
      this.#share.giveBack(own.payer);
      this.#wake();
    });
    this.#closing.add(closing);
    closing.catch(() => {});
  }

  async #wait(owner: Owner, context: CallContext): Promise<PooledChannel | ToolResult<never>> {
    const { clock, callTimeoutMs } = this.#deps;
    const longestMs = Math.min(callTimeoutMs, (context.deadlineAt ?? Infinity) - clock.elapsed());
    const until = clock.elapsed() + longestMs;
    for (;;) {
      if (this.#isClosed) return this.#removed();
      this.#makeRoom();
      const turn = await this.#turn(context.signal, Math.max(1, until - clock.elapsed()));
      if (turn === "cancelled") return fail("CANCELLED", "The call was cancelled before it was sent.");
      if (turn === "late") return this.#allInUse(longestMs, payerOf(context));
      const own = this.#take(owner, context);
      if (own !== undefined) return own;
    }
  }

  #makeRoom(): void {
    if (this.#closing.size > 0) return;
    const unused = [...this.#channels].filter(({ channel, userCount }) => userCount === 0 && !channel.isUsed);
    const oldest = unused.toSorted((one, other) => one.usedAt - other.usedAt)[0];
    if (oldest !== undefined) this.#retire(oldest);
  }

  #turn(signal: AbortSignal, waitMs: number): Promise<"woken" | "cancelled" | "late"> {
    return new Promise((resolve) => {
      const end = (how: "woken" | "cancelled" | "late"): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", cancel);
        this.#waiting.delete(wake);
        resolve(how);
      };
      const wake = (): void => end("woken");
      const cancel = (): void => end("cancelled");
      const timer = setTimeout(() => end("late"), waitMs);
      if (signal.aborted) return end("cancelled");
      signal.addEventListener("abort", cancel, { once: true });
      this.#waiting.add(wake);
    });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  #removed(): ToolResult<never> {
    return fail("TOOL_UNAVAILABLE", `The server ${this.#deps.server} was removed.`, { retryable: false });
  }

  #allInUse(waitedMs: number, payer: string): ToolResult<never> {
    const { server } = this.#deps;
    const whose = this.#share.explain(payer, `connections to the server ${server}`);
    return fail("RATE_LIMITED", `No connection was free within ${Math.round(waitedMs)} ms. ${whose}`, {
      hint: "Nothing was sent. Call again when other calls to this server have ended.",
    });
  }
}

function payerOf({ principal }: CallContext): string {
  return principal?.id ?? "";
}

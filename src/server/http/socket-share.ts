/**
 * Who holds the sockets of the listener. A socket is a stranger's until a good token has come over it: of those there
 * are few, for a short time, and the oldest gives way to the next, so that sockets that say nothing never keep a
 * client with a token out. From then on it counts for its principal, and one principal leaves some for others.
 */
import type { Socket } from "node:net";
import type { Principal } from "../../core/principal.ts";
import { Share } from "../../timing/share.ts";
import { SOCKET_COUNT_MAX, SOCKET_RESERVED_COUNT, STRANGER_COUNT_MAX } from "./limits.ts";

export class SocketShare {
  readonly #strangerMs: number;
  readonly #strangerCountMax: number;
  /** The oldest first. */
  readonly #strangers = new Map<Socket, NodeJS.Timeout>();
  readonly #owners = new Map<Socket, string>();
  readonly #share = new Share({ countMax: SOCKET_COUNT_MAX, reservedCount: SOCKET_RESERVED_COUNT });

  /** How long a socket may be a stranger's, and how many may. */
  constructor(strangerMs: number, strangerCountMax: number = STRANGER_COUNT_MAX) {
    this.#strangerMs = strangerMs;
    this.#strangerCountMax = strangerCountMax;
  }

  get strangerCount(): number {
    return this.#strangers.size;
  }

  get knownCount(): number {
    return this.#owners.size;
  }

  opened(socket: Socket): void {
    const timer = setTimeout(() => socket.destroy(), this.#strangerMs);
    timer.unref();
    this.#strangers.set(socket, timer);
    socket.once("close", () => this.#closed(socket));
    if (this.#strangers.size <= this.#strangerCountMax) return;
    const [oldest] = this.#strangers.keys();
    // Its close is told later; until then it would be found again.
    this.#forgetStranger(oldest!);
    oldest!.destroy();
  }

  /** A good token has come over the socket. Why it may not stay, where its principal has too many. */
  admit(socket: Socket, { id }: Principal): string | undefined {
    if (this.#owners.has(socket)) return undefined;
    if (!this.#share.take(id)) return this.#share.explain(id, "connections");
    this.#forgetStranger(socket);
    // A socket that has closed meanwhile has told so already.
    if (socket.destroyed) this.#share.giveBack(id);
    else this.#owners.set(socket, id);
    return undefined;
  }

  /** Another replica has it: it carries requests of many principals, whose own sockets are counted there. */
  admitPeer(socket: Socket): void {
    this.#forgetStranger(socket);
  }

  #forgetStranger(socket: Socket): void {
    clearTimeout(this.#strangers.get(socket));
    this.#strangers.delete(socket);
  }

  #closed(socket: Socket): void {
    this.#forgetStranger(socket);
    const owner = this.#owners.get(socket);
    if (owner === undefined) return;
    this.#owners.delete(socket);
    this.#share.giveBack(owner);
  }
}

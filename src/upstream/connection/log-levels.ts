import type { ClientHandle } from "../../core/tool.ts";

/** From the least important on. */
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** What clients want to hear of a server's log: a word for all, and the word of each client for itself. */
export class LogLevels {
  #common: string | undefined;
  readonly #own = new Map<ClientHandle, string>();

  set(level: string, client?: ClientHandle): void {
    if (client === undefined) {
      this.#common = level;
      return;
    }
    if (client.gone.aborted) return;
    const isNew = !this.#own.has(client);
    this.#own.set(client, level);
    if (isNew) client.gone.addEventListener("abort", () => this.#own.delete(client), { once: true });
  }

  of(client: ClientHandle | undefined): string | undefined {
    return (client === undefined ? undefined : this.#own.get(client)) ?? this.#common;
  }

  /** For a channel that all share: what the most curious of them wants. */
  lowest(): string | undefined {
    if (this.#own.size === 0) return this.#common;
    const wanted = [...this.#own.values(), ...(this.#common === undefined ? [] : [this.#common])];
    return LEVELS.find((level) => wanted.includes(level)) ?? wanted[0];
  }
}

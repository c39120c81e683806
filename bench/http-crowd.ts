/** Clients in a process of their own, told what to do from here. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export type Target =
  | { readonly way: "stdio"; readonly args: readonly string[]; readonly tool: string }
  | {
      readonly way: "legacy" | "modern" | "hub_rest" | "hub_sse";
      readonly url: string;
      readonly token?: string;
      readonly tool: string;
    };

export interface Measured {
  /** ms of each call, in no order. */
  readonly times: Float64Array;
  readonly perSecond: number;
}

/** Clients that are open, each with a session and a stream of its own where the way has such. */
export interface Crowd {
  /** Each client has `atOnce` calls under way until all together have made `callCount`. */
  measure(callCount: number, atOnce: number): Promise<Measured>;
  close(): Promise<void>;
}

export interface CrowdProcess {
  open(target: Target, count: number): Promise<Crowd>;
  close(): Promise<void>;
}

export function startCrowds(): CrowdProcess {
  const child = fork(join(import.meta.dirname, "fixtures/http-clients.mjs"), { serialization: "advanced" });
  const exited = once(child, "exit").then(() => [{ error: "the process of the clients ended" }]);
  const ask = async <T>(job: string, parameters: object): Promise<T> => {
    child.send({ job, ...parameters });
    const [{ value, error }] = (await Promise.race([once(child, "message"), exited])) as [
      { value: T; error?: string },
    ];
    if (error !== undefined) throw new Error(error);
    return value;
  };
  return {
    async open(target, count) {
      const crowd = await ask<number>("open", { target, count });
      return {
        measure: (callCount, atOnce) => ask("measure", { crowd, callCount, atOnce }),
        close: () => ask("close", { crowd }),
      };
    },
    async close() {
      child.disconnect();
      child.kill();
      await exited;
    },
  };
}

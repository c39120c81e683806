/**
 * What every transport promises, whatever carries its messages. An implementation calls `describeTransport` with a way
 * to open itself towards a far side that answers as `test/fixtures/transport-server.mjs` does.
 */
import { describe, expect, it } from "vitest";
import { eventually } from "../../../test/fixtures/temporary.ts";
import type { JsonRpcMessage, Transport, UnusableAnswer } from "./transport.ts";

export interface TransportFixture {
  /** Not started yet. */
  readonly transport: Transport;
  /** More than the transport delivers; without it, there is no limit. */
  readonly tooManyBytes?: number;
  /** Ends the far side; without it, the transport cannot notice that. */
  readonly endFarSide?: () => Promise<unknown>;
}

/** Every test gets a transport of its own. `open` ends what it started with the test. */
export function describeTransport(name: string, open: () => Promise<TransportFixture>): void {
  async function start() {
    const fixture = await open();
    const { transport } = fixture;
    const messages: JsonRpcMessage[] = [];
    const unusable: [unknown, UnusableAnswer][] = [];
    let closeCount = 0;
    let nextId = 1;
    transport.onmessage = (message) => void messages.push(message);
    transport.onunusable = (id, why) => void unusable.push([id, why]);
    transport.onclose = () => closeCount++;
    await transport.start();
    const answerTo = (id: number) =>
      eventually(`the answer to ${id}`, () => messages.find((message) => message["id"] === id));
    const send = async (method: string, params: object, options?: Parameters<Transport["send"]>[1]) => {
      const id = nextId++;
      await transport.send({ jsonrpc: "2.0", id, method, params }, options);
      return id;
    };
    const ask = async (method: string, params: object) => answerTo(await send(method, params));
    return { ...fixture, messages, unusable, closeCount: () => closeCount, send, ask, answerTo };
  }

  describe(name, () => {
    it("carries a message there and its answer back unchanged", async () => {
      const { transport, ask } = await start();
      const params = {
        text: 'ä 😀 \u2028 \u0000 \n " \\',
        numbers: [0, -1.5, 1e300, null, true],
        nested: [[[{ a: {} }]]],
        "": "",
        large: "x".repeat(1_000_000),
      };
      expect(await ask("echo", params)).toEqual({ jsonrpc: "2.0", id: 1, result: params });
      await transport.close();
    });

    it("delivers what belongs to one request in the order in which it was sent", async () => {
      const { transport, ask, messages } = await start();
      await ask("count", { to: 200 });
      const heard = messages.map(({ params, result }) => (params as { i: number } | undefined)?.i ?? result);
      expect(heard).toEqual([...Array.from({ length: 200 }, (_, i) => i), {}]);
      await transport.close();
    });

    it("delivers the answer to each of many messages once", async () => {
      const { transport, send, answerTo, messages } = await start();
      const ids = await Promise.all(Array.from({ length: 50 }, (_, i) => send("echo", { i })));
      for (const id of ids) await answerTo(id);
      const heard = messages.map(({ id, result }) => [id, (result as { i: number }).i]);
      expect(heard.toSorted((a, b) => Number(a[0]) - Number(b[0]))).toEqual(ids.map((id, i) => [id, i]));
      if (transport.hasPerRequestStream !== true) expect(messages.map(({ id }) => id)).toEqual(ids);
      await transport.close();
    });

    it("takes a notification, which has no answer, and the negotiated version", async () => {
      const { transport, ask, messages } = await start();
      transport.setProtocolVersion?.("2025-11-25");
      await transport.send({ jsonrpc: "2.0", method: "notifications/initialized", params: {} });
      await ask("echo", {});
      expect(messages).toHaveLength(1);
      await transport.close();
    });

    it("tells whose answer is too large, and carries the next", async ({ skip }) => {
      const { transport, tooManyBytes, send, ask, unusable, messages } = await start();
      if (tooManyBytes === undefined) return skip();
      // Whether the send itself fails as well is up to the transport.
      await send("fill", { bytes: tooManyBytes }).catch(() => {});
      const [id, why] = await eventually("the answer that is left out", () => unusable[0]);
      expect(id).toBe(1);
      expect(why).toMatchObject({ reason: "answer_too_large", problem: expect.stringMatching(/limit/) });
      expect(await ask("echo", { a: 1 })).toMatchObject({ result: { a: 1 } });
      expect(messages).toHaveLength(1);
      expect(unusable).toHaveLength(1);
      await transport.close();
    });

    it("outlives an answer that is no message", async () => {
      const { transport, send, ask, closeCount, messages } = await start();
      await send("babble", {}).catch(() => {});
      expect(await ask("echo", { a: 1 })).toMatchObject({ result: { a: 1 } });
      expect(messages).toHaveLength(1);
      expect(closeCount()).toBe(0);
      await transport.close();
    });

    it("outlives a request that is given up", async () => {
      const { transport, send, ask, messages } = await start();
      const givingUp = new AbortController();
      const sent = send("hang", {}, { requestSignal: givingUp.signal }).catch(() => {});
      givingUp.abort();
      await sent;
      expect(await ask("echo", { a: 1 })).toMatchObject({ result: { a: 1 } });
      expect(messages).toHaveLength(1);
      await transport.close();
    });

    it("says once that it is closed, however often it is asked to close", async () => {
      const { transport, ask, closeCount } = await start();
      await ask("echo", {});
      await Promise.all([transport.close(), transport.close()]);
      await transport.close();
      expect(closeCount()).toBe(1);
    });

    it("closes before anything was sent", async () => {
      const { transport, closeCount } = await start();
      await transport.close();
      expect(closeCount()).toBe(1);
    });

    it("rejects what is sent after it was closed, and delivers nothing more", async () => {
      const { transport, send, messages, unusable } = await start();
      await send("hang", {});
      await transport.close();
      await expect(send("echo", {})).rejects.toThrow();
      expect(messages).toEqual([]);
      expect(unusable).toEqual([]);
    });

    it("says once that the far side has ended, and rejects what is sent then", async ({ skip }) => {
      const { transport, endFarSide, ask, send, closeCount } = await start();
      if (endFarSide === undefined) return skip();
      await ask("echo", {});
      await endFarSide();
      await eventually("the end", () => closeCount() > 0);
      await expect(send("echo", {})).rejects.toThrow();
      await transport.close();
      expect(closeCount()).toBe(1);
    });
  });
}

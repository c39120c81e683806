/** What one token takes leaves room for another: the bundle over HTTP, with two tokens. */
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "./fixtures/temporary.ts";
import { connectHttp, createPlace, startHttp } from "./rig/http-process.ts";

const PLACES = 8;

async function openTwo() {
  const place = createPlace();
  onTestFinished(() => place.remove());
  const gateway = await startHttp(place);
  onTestFinished(() => gateway.stop());
  const clientFor = async (name: string) => {
    const { client } = await connectHttp(
      "2025-11-25",
      gateway.url,
      place.tokenFor(name, ["read", "call", "write"]),
    );
    onTestFinished(() => client.close());
    return (args: Record<string, unknown>, timeout = 60_000) =>
      client.callTool({ name: "execute", arguments: args }, { timeout });
  };
  return { place, greedy: await clientFor("greedy"), modest: await clientFor("modest") };
}

describe("S15: one token that takes every place in the sandbox", () => {
  it.each([
    ["with loops that never end", "for (;;) {}"],
    ["with runs that only wait", `await mcp.scripted.wait({ key: "never" });`],
  ])("%s does not keep another token's code from running", { timeout: 90_000 }, async (_how, code) => {
    const { place, greedy, modest } = await openTwo();
    // Said by the server, so that it is known that each has its place.
    const begun = `await mcp.scripted.touch({});`;
    const busy = Array.from({ length: PLACES }, () =>
      greedy({ code: `${begun} ${code}`, timeout_ms: 30_000 }),
    );
    const touches = () => place.heard().split(`"name":"touch"`).length - 1;
    await eventually("all places taken", () => touches() === PLACES, 30_000);
    const next = greedy({ code: "return 1;", timeout_ms: 1_000 });
    expect(await modest({ code: "return 1;", timeout_ms: 20_000 })).toMatchObject({
      structuredContent: { success: true, outputs: 1 },
    });
    expect(await next).toMatchObject({
      structuredContent: {
        success: false,
        error: {
          code: "RATE_LIMITED",
          retryable: true,
          message: expect.stringContaining(
            "This client has used up its share of the 10 places in the sandbox",
          ),
        },
      },
    });
    place.release("never");
    // The loops end with their gateway.
    void Promise.allSettled(busy);
  });
});

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import type { ToolDefinition } from "../../core/tool.ts";
import { createHeardLog } from "../embeddings/endpoint.testkit.ts";
import type { Meanings } from "../similarity.ts";
import { createEncoder, wordVectorsFile } from "./encoder.ts";

function openRig(file?: string) {
  const log = createHeardLog();
  return { log, encoder: createEncoder({ log, ...(file !== undefined && { file }) }) };
}

function definitionOf(name: string): ToolDefinition {
  return { name, inputSchema: { type: "object" } };
}

function put(encoder: Meanings, texts: Record<string, string>, source = "s"): void {
  const tools = Object.entries(texts).map(
    ([id, text]) => [id, { definition: definitionOf(id), text }] as const,
  );
  encoder.put(source, new Map(tools), ({ text }) => text);
}

const TOOLS = {
  car: "rent_car. Rents a vehicle for a day.",
  bread: "bake. Bakes bread and cakes.",
  mail: "send_email. Sends an email to a recipient.",
  nothing: "xqzzv",
  empty: "",
};

async function nearest(encoder: Meanings, query: string): Promise<string> {
  const nearTo = (await encoder.nearTo(query))!;
  return Object.keys(TOOLS).reduce((best, id) => ((nearTo(id) ?? -1) > (nearTo(best) ?? -1) ? id : best));
}

describe("the encoder", () => {
  it("tells what is meant by words that the tools do not have", async () => {
    const { encoder, log } = openRig();
    put(encoder, TOOLS);
    expect(await nearest(encoder, "hire an automobile")).toBe("car");
    expect(await nearest(encoder, "pastry oven recipe")).toBe("bread");
    expect(await nearest(encoder, "write a letter to my colleague")).toBe("mail");
    expect(log.lines).toEqual([]);
  });

  it("says the same each time, and in another process", async () => {
    const [one, other] = [openRig().encoder, openRig().encoder];
    put(one, TOOLS);
    put(other, TOOLS);
    const near = (await one.nearTo("hire an automobile"))!;
    const again = (await other.nearTo("hire an automobile"))!;
    for (const id of Object.keys(TOOLS)) expect(again(id)).toBe(near(id));
  });

  it("says nothing where it knows none of the words: words alone decide", async () => {
    const { encoder } = openRig();
    put(encoder, TOOLS);
    for (const query of ["xqzzv", " ", "12345"]) expect(await encoder.nearTo(query)).toBeUndefined();
    const near = (await encoder.nearTo("send"))!;
    expect([near("nothing"), near("empty"), near("absent")]).toEqual([undefined, undefined, undefined]);
    const [half, whole] = [await encoder.nearTo("send email xqzzv zzqx"), await encoder.nearTo("send email")];
    expect(half!.weight).toBeCloseTo(whole!.weight! / 2);
  });

  it("counts little beside a name, and less where a request asks for several things", async () => {
    const { encoder } = openRig();
    const weightOf = async (query: string) => (await encoder.nearTo(query))!.weight!;
    const one = await weightOf("send an email");
    expect(await weightOf(" send_email ")).toBeLessThan(one / 2);
    expect(await weightOf("send an email and then bake bread")).toBeLessThan(one);
  });

  it("follows the tools that come, change and go", async () => {
    const { encoder } = openRig();
    put(encoder, TOOLS);
    const first = (await encoder.nearTo("hire an automobile"))!;
    const ids = ["bread", undefined, "car", "late"];
    expect([...first.roughlyOf!(ids)].map(Number.isNaN)).toEqual([false, true, false, true]);
    put(encoder, { bread: TOOLS.car, late: "Rents a truck." });
    const near = (await encoder.nearTo("hire an automobile"))!;
    expect(near("car")).toBeUndefined();
    expect(near("bread")).toBeGreaterThan(0.3);
    expect([...near.roughlyOf!(ids)].map(Number.isNaN)).toEqual([false, true, true, false]);
    put(encoder, Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`t${at}`, TOOLS.mail])), "many");
    expect(near("t1999")).toBe(near("t0"));
    expect(near("bread")).toBeGreaterThan(near("t0")!);
  });

  it("counts what a tool is called for more than what is said about it", async () => {
    const { encoder } = openRig();
    put(encoder, {
      called: "rent_car\ngarage\nBakes bread and cakes for a party.",
      said: "bake_bread\nkitchen\nRents a vehicle for a party.",
    });
    const near = (await encoder.nearTo("hire an automobile"))!;
    expect(near("called")).toBeGreaterThan(near("said")!);
  });

  describe("of what tools were used for", () => {
    const definition = definitionOf("run");
    const tools = new Map(["used", "unused"].map((id) => [id, { definition }]));
    function learn(encoder: Meanings, intents: readonly string[]): void {
      const intentsOf = (id: string) => (id === "used" ? intents : []);
      encoder.put("s", tools, () => "run_job\nbatch\nRuns a job.", intentsOf);
    }
    const nearOf = async (encoder: Meanings, query: string) => {
      const near = (await encoder.nearTo(query))!;
      return { used: near("used")!, unused: near("unused")! };
    };

    it("knows other words for it, as long as it is remembered", async () => {
      const { encoder } = openRig();
      put(
        encoder,
        Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`t${at}`, TOOLS.mail])),
        "many",
      );
      learn(encoder, []);
      const before = await nearOf(encoder, "hire an automobile");
      learn(encoder, ["rent a car for the weekend", "rent a car", "hire a car in Rome", "bake bread"]);
      const taught = await nearOf(encoder, "hire an automobile");
      expect(taught.used).toBeGreaterThan(before.used + 0.1);
      expect(taught.unused).toBe(before.unused);
      learn(encoder, ["bake bread", "send an email"]);
      expect((await nearOf(encoder, "hire an automobile")).used).toBeLessThan(taught.used - 0.1);
      learn(encoder, []);
      expect(await nearOf(encoder, "hire an automobile")).toEqual(before);
    });

    it("lets nothing that was learnt push away what a tool says of itself", async () => {
      const { encoder } = openRig();
      learn(encoder, []);
      const { used } = await nearOf(encoder, "run a job");
      learn(encoder, ["bake bread"]);
      expect(await nearOf(encoder, "run a job")).toEqual({ used, unused: used });
    });

    it("says nothing of it where a request asks for several things", async () => {
      const { encoder } = openRig();
      learn(encoder, ["rent a car for the weekend"]);
      const { used, unused } = await nearOf(encoder, "hire an automobile and then bake bread");
      expect(used).toBe(unused);
    });
  });

  it("knows roughly, without the names, which are nearest", async () => {
    const { encoder } = openRig();
    put(encoder, TOOLS);
    const near = (await encoder.nearTo("send an email to a friend"))!;
    const rough = near.roughlyOf!(["car", "bread", "mail"]);
    expect(rough[2]).toBeGreaterThan(Math.max(rough[0]!, rough[1]!, 0));
  });

  it("counts the part of a request that a tool is nearest to", async () => {
    const { encoder } = openRig();
    put(encoder, TOOLS);
    const both = (await encoder.nearTo("bake a cake for the party and then send it to my colleague"))!;
    expect(both("bread")).toBeGreaterThan(both("car")!);
    expect(both("mail")).toBeGreaterThan(both("car")!);
  });
});

describe("a file of word vectors that is damaged or missing", () => {
  it("leaves the search to the words, and is told once", async () => {
    const folder = temporaryFolder();
    const damaged = join(folder, "damaged.bin");
    copyFileSync(wordVectorsFile(), damaged);
    writeFileSync(damaged, readFileSync(damaged).subarray(0, 1_000_000));
    for (const [file, event] of [
      [damaged, "search.encoder.damaged"],
      [join(folder, "missing.bin"), "search.encoder.unreadable"],
    ] as const) {
      const { encoder, log } = openRig(file);
      put(encoder, TOOLS);
      expect(await encoder.nearTo("hire an automobile")).toBeUndefined();
      put(encoder, TOOLS);
      expect(await encoder.nearTo("hire an automobile")).toBeUndefined();
      expect(log.lines.map((line) => [line.level, line.event])).toEqual([["warn", event]]);
    }
  });
});

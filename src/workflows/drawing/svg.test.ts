import { expect, it } from "vitest";
import { drawSvg } from "./svg.ts";
import { requireValid } from "../workflow.testkit.ts";

const { workflow, plan } = requireValid({
  description: `</title><script>alert("1")</script> & 'more' \u0000\uFFFF`,
  inputs: { url: { type: "string" } },
  nodes: [
    { id: "get", type: "fetch", params: { url: "${url}" }, on_error: "tell" },
    { id: "use", type: "t", params: { x: "${get.body}" } },
    { id: "tell", type: "t" },
  ],
  outputs: { text: { source: '${use["<b>"]}' }, url: { source: "${url}" } },
});
const hostile = {
  ...workflow,
  nodes: workflow.nodes.map((node) => ({ ...node, type: `"/><image href='http://x'/>${node.type}` })),
};
const svg = drawSvg(hostile, plan);

it("draws inputs, nodes and outputs as boxes, and as curves where values and order come from", () => {
  expect(svg.match(/<rect class="box"/g)).toHaveLength(3);
  expect(svg.match(/<rect class="pill"/g)).toHaveLength(3);
  expect(svg.match(/<path class="edge" /g)).toHaveLength(4);
  expect(svg.match(/<path class="edge error" /g)).toHaveLength(1);
  expect(svg).toContain("prefers-color-scheme:dark");
});

it("is markup of its own only: everything else is text", () => {
  const tags = new Set([...svg.matchAll(/<\/?([^\s>/]+)/g)].map((match) => match[1]));
  expect([...tags].map(String).toSorted()).toEqual([
    "defs",
    "g",
    "marker",
    "path",
    "rect",
    "style",
    "svg",
    "text",
    "title",
  ]);
  expect(svg).toContain(
    "&lt;/title&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39; \\u{0}\\u{ffff}",
  );
  const attributes = new Set(
    [...svg.replaceAll(/>[^<]*</g, "><").matchAll(/ ([a-zA-Z-]+)="/g)].map((match) => match[1]),
  );
  for (const name of attributes) expect(name).not.toMatch(/^(on|href|src)/);
});

it("closes every element", () => {
  const open: string[] = [];
  for (const [, slash, name] of svg.matchAll(/<(\/?)([a-z]+)[^>]*>/g)) {
    if (slash === "") open.push(name!);
    else expect(open.pop()).toBe(name);
  }
  expect(open).toEqual([]);
});

it("puts each level below the one before", () => {
  const tops = [...svg.matchAll(/<rect class="box" x="[\d.]+" y="([\d.]+)"/g)].map((match) =>
    Number(match[1]),
  );
  expect(tops[0]).toBeLessThan(tops[1]!);
  expect(tops[1]).toBe(tops[2]);
});

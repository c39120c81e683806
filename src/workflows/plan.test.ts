import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { nodesOf, problemsOf, requireValid } from "./workflow.testkit.ts";

describe("a plan", () => {
  it("runs a diamond in three levels", () => {
    const { plan } = requireValid({
      nodes: nodesOf({
        end: { l: "${left}", r: "${right.x}" },
        right: { of: "${top}" },
        left: { of: "${top}" },
        top: {},
      }),
    });
    expect(plan.levels).toEqual([["top"], ["right", "left"], ["end"]]);
    expect(plan.nodes.map(({ node }) => node.id)).toEqual(["top", "right", "left", "end"]);
    expect(plan.nodes.at(-1)).toMatchObject({ after: ["right", "left"], reads: ["right", "left"], level: 2 });
  });

  it("takes what could be next in the order of the text", () => {
    const { plan } = requireValid({ nodes: nodesOf({ a: {}, b: { x: "${c}" }, c: {}, d: {} }) });
    expect(plan.nodes.map(({ node }) => node.id)).toEqual(["a", "c", "b", "d"]);
    expect(plan.levels).toEqual([["a", "c", "d"], ["b"]]);
  });

  it("tells templates, success edges and failures apart", () => {
    const { plan } = requireValid({
      nodes: [
        { id: "a", type: "t", on_error: "h" },
        { id: "b", type: "t" },
        { id: "h", type: "t", params: { x: "${c.x}" } },
        { id: "c", type: "t" },
      ],
      edges: [
        { from: "b", to: "h" },
        { from: "c", to: "h" },
      ],
    });
    const handler = plan.nodes.find(({ node }) => node.id === "h");
    expect(handler).toMatchObject({ after: ["b", "c"], reads: ["c"], handles: ["a"], level: 1 });
  });

  it("counts what a batch and an approval read", () => {
    const { plan } = requireValid({
      nodes: [
        { id: "a", type: "t" },
        { id: "b", type: "t", batch: { items: "${a.list}" }, params: { x: "${item.y}", n: "${index}" } },
        { id: "c", type: "t", batch: { items: ["${a}", 1] }, approval: { message: "Send ${b}?" } },
      ],
    });
    expect(plan.nodes.map(({ reads }) => reads)).toEqual([[], ["a"], ["a", "b"]]);
  });

  it("plans a chain of two hundred, written backwards", () => {
    const ids = Array.from({ length: 200 }, (_, i) => `n${i}`);
    const chain = ids.map((id, i): [string, JsonObject] => [id, i === 0 ? {} : { x: `\${n${i - 1}}` }]);
    const { plan } = requireValid({ nodes: nodesOf(Object.fromEntries(chain.toReversed())) });
    expect(plan.levels).toEqual(ids.map((id) => [id]));
  });

  it("names the way of each cycle, and not what waits for it", () => {
    const problems = problemsOf({
      nodes: nodesOf({
        after: { x: "${b}" },
        a: { x: "${b}" },
        b: {},
        x: { y: "${z}" },
        y: { x: "${x}" },
        z: { y: "${y}" },
      }),
      edges: [{ from: "a", to: "b" }],
    });
    expect(problems.map(({ place, message }) => [place, message])).toEqual([
      ["nodes[1]", "these nodes wait for each other: a → b → a."],
      ["nodes[3]", "these nodes wait for each other: x → y → z → x."],
    ]);
    expect(problems[0]!.fix).toBe("Remove the edge or the template by which a waits for b.");
  });

  it("tells cycles apart from what comes before them", () => {
    const problems = problemsOf({
      nodes: nodesOf({
        start: {},
        a: { x: "${start} ${b}" },
        b: { x: "${a}" },
        c: { x: "${start} ${d}" },
        d: { x: "${c} ${b}" },
      }),
    });
    expect(problems.map(({ message }) => message)).toEqual([
      "these nodes wait for each other: a → b → a.",
      "these nodes wait for each other: c → d → c.",
    ]);
  });

  it("finds a cycle that goes through a failure", () => {
    const nodes: JsonObject[] = [
      { id: "a", type: "t", on_error: "h" },
      { id: "h", type: "t" },
    ];
    expect(problemsOf({ nodes, edges: [{ from: "h", to: "a" }] })).toMatchObject([
      { place: "nodes[0]", message: "these nodes wait for each other: a → h → a." },
    ]);
  });

  it("puts every node after all that it waits for, or tells a cycle", () => {
    const edge = fc.record({ from: fc.nat(14), to: fc.nat(14), action: fc.constantFrom("success", "error") });
    fc.assert(
      fc.property(
        fc.uniqueArray(edge, { selector: ({ from, to }) => `${from} ${to}` }),
        fc.boolean(),
        (drawn, isAcyclic) => {
          const edges = drawn
            .filter(({ from, to }) => (isAcyclic ? from < to : from !== to))
            .map(({ from, to, action }) => ({ from: `n${from}`, to: `n${to}`, action }));
          const nodes = nodesOf(Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`n${14 - i}`, {}])));
          const problems = problemsOf({ nodes, edges });
          if (problems.length > 0) {
            expect(isAcyclic).toBe(false);
            return;
          }
          const { plan } = requireValid({ nodes, edges });
          const rank = new Map(plan.nodes.map(({ node }, i) => [node.id, i]));
          expect(rank.size).toBe(15);
          for (const { from, to } of edges) expect(rank.get(from)).toBeLessThan(rank.get(to)!);
        },
      ),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SearchDocument } from "./search-fields.ts";
import { createSearchIndex } from "./search-index.ts";

const DOCUMENTS: readonly SearchDocument[] = [
  {
    id: "github__create_issue",
    fields: {
      name: "create_issue",
      server: "github",
      serverDescription: "Work with repositories and issues",
      description: "Creates an issue in a repository.",
      parameterNames: "owner repo title",
      parameterDescriptions: "the owner of the repository",
    },
    useCount: 12,
    intents: ["report a broken build", "tell the owner of a broken build", "an issue for the build"],
  },
  {
    id: "mail__send",
    fields: { name: "send", server: "mail", description: "Sends a message.", enums: "html text" },
  },
  { id: "files__read", fields: { name: "read_file", server: "files", description: "Reads a file." } },
  {
    id: "notes__list",
    fields: { name: "list", server: "notes", description: "Lists notes, issues and messages." },
  },
];

function indexed() {
  const index = createSearchIndex();
  index.put("all", DOCUMENTS);
  return index;
}

const near = (id: string) => ({ github__create_issue: 0.3, mail__send: 0.9, notes__list: -0.4 })[id];

describe("why a hit is where it is", () => {
  it.each([
    ["one thing", "create an issue", undefined],
    ["several things", "create an issue and send a message, then read the file", undefined],
    ["an alias of a word", "delete an email", undefined],
    ["what is meant", "create an issue and send a message", near],
    ["what is meant, without one of the words", "zebra", near],
  ])("its shares add up to its score: %s", (_, query, similarityOf) => {
    const index = indexed();
    const { hits } = index.search(query, { limit: 10, similarityOf });
    const why = index.explain(query, DOCUMENTS, { similarityOf });
    for (const { id, score } of hits) {
      const sum = why.get(id)!.reduce((whole, { points }) => whole + points, 0);
      expect(sum).toBeCloseTo(score, 9);
    }
    expect(hits.length).toBeGreaterThan(0);
  });

  it("its shares add up to its score for any query of words that the documents have", () => {
    const words =
      "create an issue of the repository and send mail then list notes, read file title html build".split(
        " ",
      );
    const index = indexed();
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 }), (asked) => {
        const query = asked.join(" ");
        const why = index.explain(query, DOCUMENTS, {});
        for (const { id, score } of index.search(query, { limit: 10 }).hits) {
          const sum = why.get(id)!.reduce((whole, { points }) => whole + points, 0);
          expect(sum).toBeCloseTo(score, 9);
        }
      }),
    );
  });

  it("names the word as it was asked for, and where it is", () => {
    const why = indexed().explain("creating issues in my repository: broken builds", DOCUMENTS, {});
    const found = why.get("github__create_issue")!.map(({ word, where }) => `${word}: ${where}`);
    expect(found).toEqual(
      expect.arrayContaining([
        "creating: name",
        "creating: description",
        "issues: name",
        "issues: server",
        "repository: parameters",
        "broken: learnt from runs",
        ": use",
      ]),
    );
    expect(why.get("notes__list")!.map(({ word, where }) => `${word}: ${where}`)).toEqual([
      "issues: description",
    ]);
  });

  it("shows a mended word as it was asked and as what it was read, and the points add up", () => {
    const query = "creat an issue in a repositry, then send a mesage";
    const index = indexed();
    const why = index.explain(query, DOCUMENTS, { similarityOf: near });
    for (const { id, score } of index.search(query, { limit: 10, similarityOf: near }).hits)
      expect(why.get(id)!.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(score, 9);
    const wordsOf = (id: string) => new Set(why.get(id)!.map(({ word }) => word));
    expect(wordsOf("github__create_issue")).toContain("repositry (repositories)");
    expect(wordsOf("mail__send")).toContain("mesage (message)");
    expect(wordsOf("notes__list")).toContain("mesage (messages)");
  });

  it("the best is first, and what does not match has no reason", () => {
    const why = indexed().explain("send a message", DOCUMENTS, {});
    const points = why.get("mail__send")!.map((one) => one.points);
    expect(points).toEqual(points.toSorted((a, b) => b - a));
    expect(why.get("files__read")).toEqual([]);
  });

  it("leaves the index as it was", () => {
    const index = indexed();
    const before = index.search("create an issue and send mail", { limit: 10 });
    index.explain("read a file and list notes", DOCUMENTS, { similarityOf: near });
    expect(index.search("create an issue and send mail", { limit: 10 })).toEqual(before);
  });

  it("is bounded by what the search may show", () => {
    const index = indexed();
    const allows = (id: string) => id !== "mail__send";
    const limits = { allows, similarityOf: near };
    const { hits } = index.search("issue message", { limit: 10, ...limits });
    const why = index.explain("issue message", DOCUMENTS, limits);
    for (const { id, score } of hits) {
      expect(why.get(id)!.reduce((whole, { points }) => whole + points, 0)).toBeCloseTo(score, 9);
    }
  });
});

import { describe, expect, it } from "vitest";
import type { SearchDocument } from "./search-fields.ts";
import { createSearchIndex, type SearchLimits } from "./search-index.ts";

const toolOf = (server: string, name: string, description: string): SearchDocument => ({
  id: `${server}__${name.replaceAll("-", "_")}`,
  fields: { name, server, description },
});

const GITHUB = toolOf("github", "create_issue", "Opens a ticket.");
const GITLAB = toolOf("gitlab", "create-issue", "Opens a ticket about bugs.");
const DOCUMENTS: readonly SearchDocument[] = [
  GITHUB,
  GITLAB,
  // Says all the words of the other, more often, and was used all the time.
  {
    ...toolOf("jira", "issues", "Create issue, create issue in github or gitlab: issue create."),
    intents: Array.from({ length: 30 }, (_, at) => `create_issue github ${at}`),
    useCount: 1000,
  },
  toolOf("web", "search", "Finds pages."),
  toolOf("code", "search", "Finds code."),
  toolOf("files", "search_files", "Search, search and search again."),
  toolOf("post", "email", "Delivers."),
  toolOf("mail", "send", "Sends an e-mail, an email or a mail."),
];

function indexed(documents = DOCUMENTS) {
  const index = createSearchIndex();
  index.put("all", documents);
  return index;
}

const first = (query: string, limits: Partial<SearchLimits> = {}) =>
  indexed().search(query, { limit: 10, ...limits }).hits[0]?.id;

/** Knows better than any words. */
const meaning = Object.assign((id: string) => (id.startsWith("jira") ? 1 : 0), { weight: 0.9 });

describe("a tool whose very name is in the query", () => {
  it.each([
    "github__create_issue",
    "github.create_issue",
    "github.createIssue",
    "mcp.github.create_issue",
    "mcp__github__create_issue",
    "mcp__repertoire__github__create_issue",
    "github:create-issue",
    "github_create_issue",
    "GITHUB__CREATE_ISSUE",
    "please call `github__create_issue` with a title.",
    "search the web, then use github.create_issue() for each bug",
  ])("is first: %s", (query) => {
    expect(first(query)).toBe("github__create_issue");
    expect(first(query, { similarityOf: meaning })).toBe("github__create_issue");
  });

  it.each(["create_issue", "create-issue", "createIssue", "CreateIssue", "run create_issue and tell github"])(
    "is first with all of that name, by the usual score: %s",
    (query) => {
      for (const similarityOf of [undefined, meaning]) {
        const { hits } = indexed().search(query, { limit: 10, similarityOf });
        expect(
          hits
            .slice(0, 2)
            .map(({ id }) => id)
            .toSorted(),
        ).toEqual(["github__create_issue", "gitlab__create_issue"]);
      }
    },
  );

  it("is not named by plain words, nor by a hyphen that its name has not", () => {
    expect(first("create issue", { similarityOf: meaning })).toBe("jira__issues");
    expect(first("search files for search")).toBe("files__search_files");
    expect(first("e-mail send")).toBe("mail__send");
    expect(first("web.search")).toBe("web__search");
    expect(first("code:search")).toBe("code__search");
  });

  it("is told apart in the explanation, whose points still add up", () => {
    const index = indexed();
    for (const similarityOf of [undefined, meaning]) {
      const query = "create_issue on github and web.search for it";
      const { hits } = index.search(query, { limit: 10, similarityOf });
      const why = index.explain(query, DOCUMENTS, { similarityOf });
      for (const { id, score } of hits)
        expect(why.get(id)!.reduce((sum, { points }) => sum + points, 0)).toBeCloseTo(score, 9);
      const named = hits.filter(({ id }) => why.get(id)!.some(({ where }) => where === "exact name"));
      expect(named.map(({ id }) => id).toSorted()).toEqual([
        "github__create_issue",
        "gitlab__create_issue",
        "web__search",
      ]);
      expect(hits.slice(0, 3)).toEqual(named);
    }
  });

  it("is no faint hit, and only there where it may be shown", () => {
    const query = "zebra quantum flux with web.search";
    expect(indexed().search(query, { limit: 1 })).toMatchObject({ isFaint: false });
    expect(first(query, { allows: (id) => id !== "web__search" })).not.toBe("web__search");
  });

  it("is known by its own name and by the one that it is shown under, which may be cut", () => {
    const cut = {
      id: "files__read_everyt_a1b2",
      fields: { name: "read_everything_there_is", description: "Hm." },
    };
    for (const query of ["files__read_everyt_a1b2", "readEverythingThereIs"]) {
      const { hits } = indexed([cut, ...DOCUMENTS]).search(query, { limit: 1 });
      expect(hits[0]!.id).toBe(cut.id);
    }
    const withoutWords = { id: "x__a_b", fields: { name: "a_b", description: "Hm." } };
    expect(indexed([withoutWords]).search("x__a_b", { limit: 1 }).hits).toMatchObject([{ id: "x__a_b" }]);
  });

  it("is forgotten when it goes", () => {
    const index = indexed();
    index.put("all", DOCUMENTS.slice(1));
    expect(index.search("create_issue", { limit: 1 }).hits[0]!.id).toBe(GITLAB.id);
    index.put("all", []);
    expect(index.search("create_issue", { limit: 1 }).total).toBe(0);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contextOf, createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import { createRegistry } from "../registry/registry.ts";
import type { SearchDocument } from "./search-fields.ts";
import { createSearchIndex } from "./search-index.ts";
import { stemOf } from "./stem.ts";
import { termsOf } from "./words.ts";

function indexOf(documents: Record<string, SearchDocument["fields"]>) {
  const index = createSearchIndex();
  index.put(
    "all",
    Object.entries(documents).map(([id, fields]) => ({ id, fields })),
  );
  return (query: string, limit = 10) => index.search(query, { limit }).hits.map((hit) => hit.id);
}

describe("words", () => {
  it.each([
    ["createIssue", ["creat", "issu", "createissu"]],
    ["create_issue-v2", ["creat", "issu", "v", "2", "v2"]],
    ["PDFReader", ["pdf", "reader", "pdfreader"]],
    ["please help me, I want to send a message", ["send", "messag"]],
    ["发送消息", ["发", "送", "消", "息", "发送", "送消", "消息"]],
    ["メールを送る", ["メ", "ー", "ル", "を", "送", "る", "メー", "ール", "ルを", "を送", "送る"]],
    ["Отправить файл", ["отправить", "фаил"]],
    ["Αποστολή μηνύματος", ["αποστολη", "μηνυματος"]],
    ["créer un événement", ["creer", "un", "even"]],
    ["Café Größe", ["cafe", "große"]],
    ["I'm sure it can't be Amazon’s", ["sure", "amazon"]],
    ["what is this", ["what", "is", "thi"]],
    ["", []],
  ])("of %j are %j", (text, terms) => {
    expect(termsOf(text, 100)).toEqual(terms);
  });

  it.each([
    ["files", "file"],
    ["queries", "query"],
    ["creating", "creates"],
    ["running", "run"],
    ["translation", "translate"],
    ["summarize", "summarizing"],
    ["notification", "notifications"],
    ["conversion", "conversions"],
    ["stopped", "stopping"],
  ])("%s and %s have one stem", (a, b) => {
    expect(stemOf(a)).toBe(stemOf(b));
  });

  it("are bounded, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const terms = termsOf(text, 20);
        expect(terms.length).toBeLessThanOrEqual(20);
        expect(terms.every((term) => term.length <= 80)).toBe(true);
      }),
    );
    expect(termsOf(`${"A".repeat(100_000)}b`, 10)).toHaveLength(2);
  });
});

describe("search", () => {
  it("puts a name before a description, and a description before a parameter", () => {
    const search = indexOf({
      c_parameter: { name: "thing", parameterNames: "invoice" },
      b_description: { name: "thing", description: "Makes an invoice." },
      a_other: { name: "weather", description: "Says how warm it is." },
      d_name: { name: "create_invoice", description: "Makes one." },
    });
    expect(search("invoices")).toEqual(["d_name", "b_description", "c_parameter"]);
  });

  it("finds a camelCase name by its parts and as one word, and a server by its name", () => {
    const search = indexOf({
      a: { name: "listIssues", server: "GitHub" },
      b: { name: "post", server: "slack" },
    });
    for (const query of ["issue", "listissues", "github", "hub", "GITHUB list"])
      expect(search(query)).toEqual(["a"]);
  });

  it("breaks ties by name, whatever the order of the documents", () => {
    const ids = ["c", "a", "d", "b"];
    const search = indexOf(Object.fromEntries(ids.map((id) => [id, { name: "same" }])));
    expect(search("same")).toEqual(["a", "b", "c", "d"]);
    expect(search("same", 2)).toEqual(["a", "b"]);
  });

  it("finds nothing where no word is shared, and says how many match beyond the limit", () => {
    const index = createSearchIndex();
    index.put(
      "g",
      Array.from({ length: 50 }, (_, i) => ({ id: `t${i}`, fields: { name: `read ${i}` } })),
    );
    expect(index.search("zebra", { limit: 10 })).toEqual({ hits: [], total: 0, isFaint: false });
    expect(index.search("read", { limit: 10 })).toMatchObject({ total: 50 });
    expect(index.search("read", { limit: 0 })).toMatchObject({ hits: [], total: 50 });
  });

  it("T104: is not won by keywords: neither many words nor one word many times", () => {
    const keywords =
      "weather forecast temperature rain city email send message file read database query github issue";
    const search = indexOf({
      honest_weather: { name: "get_forecast", description: "Gets the weather forecast for a city." },
      honest_mail: { name: "send_email", description: "Sends an email message." },
      stuffed: { name: "helper", description: `${keywords} `.repeat(100) },
      repeated: { name: "helper", description: "weather ".repeat(60_000) },
      params: { name: "helper", parameterNames: keywords.repeat(20), enums: keywords.repeat(20) },
    });
    expect(search("weather forecast for a city")[0]).toBe("honest_weather");
    expect(search("weather")[0]).toBe("honest_weather");
    expect(search("send an email message")[0]).toBe("honest_mail");
  });

  it("knows words that stand for one another, and prefers the word itself", () => {
    const search = indexOf({
      mail: { name: "send_email", description: "Sends an email." },
      repo: { name: "list_repositories" },
      ticket: { name: "open_ticket" },
      issue: { name: "open_issue" },
    });
    expect(search("mail somebody")[0]).toBe("mail");
    expect(search("my repos on github")[0]).toBe("repo");
    expect(search("ticket")).toEqual(["ticket", "issue"]);
    expect(search("bug")).toEqual(["issue", "ticket"]);
  });

  it("is not led astray by the words that every request has", () => {
    const search = indexOf({
      wordy: { name: "assistant", description: "Provides specific, detailed and relevant information." },
      wanted: { name: "tides", description: "When the water is high." },
    });
    expect(search("Please provide me with some information about the tides")[0]).toBe("wanted");
  });

  it.each([
    ["fetch the page and mail a summary", ["page", "mail"]],
    ["Fetch the page, translate it, then mail it to Ann.", ["page", "mail", "translate"]],
    [
      "Get this web page. After that I want you to send an email; finally translate the text",
      ["page", "mail", "translate"],
    ],
  ])("%j: has a tool for each part at the top", (query, wanted) => {
    const pages = Array.from({ length: 20 }, (_, i) => [
      `page_${i}`,
      { name: `fetch_page_${i}`, description: "Fetches a web page and gives its text." },
    ]);
    const search = indexOf({
      ...Object.fromEntries(pages),
      page: { name: "fetch_page", description: "Fetches a web page and gives its text." },
      mail: { name: "send_email", description: "Sends an email." },
      translate: { name: "translate", description: "Translates text into another language." },
      other: { name: "weather", description: "Forecast." },
    });
    const top = search(query, 10);
    for (const id of wanted) expect(top).toContain(id);
    expect(top.slice(0, wanted.length).sort()).toEqual([...wanted].sort());
  });

  it("leaves a request for one thing whole, whatever is listed in it", () => {
    const search = indexOf({
      a: { name: "create_chart", description: "Draws bars and lines." },
      b: { name: "bars", description: "Where to drink." },
    });
    expect(search("a chart with bars and lines")[0]).toBe("a");
  });

  it("says when even the best has little of what was asked for", () => {
    const index = createSearchIndex();
    index.put("g", [
      { id: "a", fields: { name: "send_email", description: "Sends an email." } },
      { id: "b", fields: { name: "read_file", description: "Reads a text file." } },
    ]);
    expect(index.search("send an email", { limit: 5 }).isFaint).toBe(false);
    expect(index.search("mail", { limit: 5 }).isFaint).toBe(false);
    expect(index.search("book a flight to Lisbon and read", { limit: 5 }).isFaint).toBe(true);
  });

  it("finds tools in scripts without spaces, by characters that are next to one another", () => {
    const search = indexOf({
      news: { name: "news", description: "消化不良的新闻和休息" },
      message: { name: "post", description: "发送消息给朋友" },
      weather: { name: "forecast", description: "天気予報を調べる" },
      file: { name: "upload", description: "Загрузить файл на сервер" },
    });
    expect(search("消息")[0]).toBe("message");
    expect(search("明日の天気")[0]).toBe("weather");
    expect(search("ФАЙЛ")).toEqual(["file"]);
  });

  it.each(["wether forecast", "weahter forecast", "weatherr", "weqther", "Wheather"])(
    "mends one slip in a word that no tool has: %s",
    (query) => {
      const search = indexOf({
        weather: { name: "get_weather", description: "Says how warm it will be." },
        calendar: { name: "list_calendar", description: "Lists what is planned." },
      });
      expect(search(query)).toEqual(["weather"]);
      expect(search("calender")).toEqual(["calendar"]);
    },
  );

  it("mends no word that a tool has, no short one, no number, and none that is two slips away", () => {
    const search = indexOf({
      form: { name: "fill_form", description: "Fills a form in 2024." },
      from: { name: "farm_harvest", description: "Says what grew." },
    });
    expect(search("farm")).toEqual(["from"]);
    for (const query of ["fil", "2025", "hravset"]) expect(search(query)).toEqual([]);
  });

  it("decides between equals by how often they were used, and never without the words", () => {
    const index = createSearchIndex();
    const fields = { name: "search", description: "Searches." };
    index.put("g", [
      { id: "a", fields },
      { id: "b", fields, useCount: 5 },
      { id: "c", fields: { name: "search_documents" }, useCount: 1 },
      { id: "d", fields: { name: "unrelated" }, useCount: 1_000_000 },
    ]);
    const hits = (query: string) => index.search(query, { limit: 9 }).hits.map(({ id }) => id);
    expect(hits("search").slice(0, 2)).toEqual(["b", "a"]);
    expect(hits("search documents")[0]).toBe("c");
    expect(hits("search")).not.toContain("d");
  });

  it("makes little of uses, however few tools were ever used", () => {
    const gainAmong = (toolCount: number, useCount = 50): number => {
      const index = createSearchIndex();
      const others = Array.from({ length: toolCount - 2 }, (_, i) => ({
        id: `o${i}`,
        fields: { name: "other" },
      }));
      const fields = { name: "same" };
      index.put("g", [...others, { id: "a", fields }, { id: "b", fields, useCount }]);
      const [best, next] = index.search("same", { limit: 2 }).hits;
      return best!.score / next!.score - 1;
    };
    expect(gainAmong(2)).toBeCloseTo(0.02);
    expect(gainAmong(2_000)).toBeCloseTo(0.02);
    expect(gainAmong(10, 0)).toBe(0);
  });

  it("gives only what is allowed, and counts only that", () => {
    const index = createSearchIndex();
    index.put(
      "g",
      ["a1", "b1", "a2", "b2"].map((id) => ({ id, fields: { name: "same" } })),
    );
    const found = index.search("same", { limit: 1, allows: (id) => id.startsWith("b") });
    expect(found).toMatchObject({ hits: [{ id: "b1" }], total: 2 });
  });

  it("makes less of what was learnt where a request asks for several things", () => {
    const gainFor = (query: string): number => {
      const index = createSearchIndex();
      const fields = { name: "page", description: "Prints a page." };
      index.put("g", [
        { id: "used", fields, intents: ["print the report on paper"] },
        { id: "unused", fields },
      ]);
      const points = new Map(index.search(query, { limit: 2 }).hits.map(({ id, score }) => [id, score]));
      return points.get("used")! / points.get("unused")!;
    };
    const gain = gainFor("print a page of the report");
    expect(gain).toBeGreaterThan(1);
    expect(gainFor("print a page of the report and then translate it")).toBeLessThan(gain);
  });

  it("learns from the intents of earlier runs", () => {
    const index = createSearchIndex();
    index.put("g", [
      {
        id: "a",
        fields: { name: "run_report" },
        intents: ["how much did we sell last month", "what did we sell"],
      },
      { id: "b", fields: { name: "list_months", description: "Months." } },
    ]);
    const hits = (query: string) => index.search(query, { limit: 9 }).hits.map(({ id }) => id);
    expect(hits("what did we sell")).toEqual(["a"]);
    index.remove("g");
    expect(hits("what did we sell")).toEqual([]);
  });

  it("does not let what was learnt bury a tool that was never used", () => {
    const index = createSearchIndex();
    const taught = Array.from({ length: 12 }, (_, i) => ({
      id: `taught_${i}`,
      fields: { name: `report_${i}`, description: "Makes a report of the sales." },
      intents: [
        `retrieve the report of the sales in area ${i}`,
        `please retrieve the sales of area ${i} with tax`,
      ],
      useCount: 40,
    }));
    const wanted = {
      id: "wanted",
      fields: { name: "retrieve_tax_rates", description: "Gives the tax rates." },
    };
    index.put("g", [...taught, wanted]);
    const best = (query: string) => index.search(query, { limit: 1 }).hits[0]!.id;
    expect(best("retrieve the tax rates of the area")).toBe("wanted");
    expect(best("retrieve the sales in area 7")).toBe("taught_7");
  });

  it("is the same after any coming and going of groups as in an index made at once", () => {
    const word = fc.constantFrom("read", "write", "file", "mail", "query", "list");
    const group = fc.array(fc.array(word, { maxLength: 4 }), { maxLength: 4 });
    const change = fc.record({ id: fc.constantFrom("a", "b", "c"), documents: fc.option(group) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), fc.array(word), (changes, query) => {
        const index = createSearchIndex();
        const last = new Map<string, SearchDocument[]>();
        for (const { id, documents } of changes) {
          const list = (documents ?? []).map((words, i) => ({
            id: `${id}${i}`,
            fields: { name: words.join(" ") },
          }));
          if (documents === null) index.remove(id);
          else index.put(id, list);
          if (documents === null) last.delete(id);
          else last.set(id, list);
        }
        const fresh = createSearchIndex();
        for (const [id, list] of last) fresh.put(id, list);
        const text = query.join(" ");
        expect(index.search(text, { limit: 5 })).toEqual(fresh.search(text, { limit: 5 }));
      }),
    );
  });
});

it("searches the registry's tools, by all that they say, and lists all without words", async () => {
  const registry = createRegistry();
  registry.add(
    createFixtureSource("github", [
      toolOf("create_issue", "Opens a ticket.", { labels: { type: "string", enum: ["bug", "feature"] } }),
      toolOf("list_pulls", "Shows pull requests."),
    ]),
  );
  await registry.discover({ waitMs: 1000 }, contextOf());
  const search = (query: string) => registry.search(query).hits.map((hit) => hit.component.name);
  expect(search("open a ticket")).toEqual(["github__create_issue"]);
  expect(search("bugs")).toEqual(["github__create_issue"]);
  expect(search("label")).toEqual(["github__create_issue"]);
  expect(search("github pull requests")[0]).toBe("github__list_pulls");
  expect(search(" ")).toEqual(["github__create_issue", "github__list_pulls"]);
  registry.add({
    ...createFixtureSource("gh", [toolOf("whoami", "Says who you are.")]),
    list: async () => ({
      success: true,
      data: {
        about: { title: "Octopus", description: "Everything around hosting of repositories." },
        tools: [toolOf("whoami", "Says who you are.")],
      },
    }),
  });
  await registry.discover({ waitMs: 1000, servers: ["gh"] }, contextOf());
  expect(search("octopus")).toEqual(["gh__whoami"]);
  expect(search("hosting")).toEqual(["gh__whoami"]);
  await registry.remove("github");
  expect(search("ticket")).toEqual([]);
  await registry.close();
});

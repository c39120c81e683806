/** Tasks with web searches, pages, browsers and documentation. */
import { compact, json, rows, text, type Task } from "./task.ts";

const found = (index: number) => ({
  url: `https://news.example/${index}`,
  title: `What changed in part ${index}`,
  score: 0.9 - index / 40,
  content: `Part ${index} was changed this month. It now does in one step what took two before, and old files can be read as they were.`,
  raw_content: null,
});

const LINKS = rows(80, (index) => ({
  url: `https://shop.example/${index % 3 === 0 ? "help" : "item"}/${index}`,
  title: `Page ${index}`,
  description: `Everything about number ${index}`,
}));

const REQUESTS = rows(70, (index) => {
  const url = `https://shop.example/${index % 6 === 0 ? "api/items" : "assets"}/${index}`;
  return `reqid=${index + 1} GET ${url} [${index % 13 === 7 ? "failed - 500" : "success - 200"}]`;
});

const paper = (index: number) => ({
  paperId: `arxiv:2609.${String(1000 + index)}`,
  title: `On the ${["cost", "order", "shape", "speed"][index % 4]} of retrieval, part ${index}`,
  abstract: `We look at how retrieval behaves where there are many tools. ${"The measured effect is small and stable over all sets. ".repeat(3)}`,
  authors: [`A. Author ${index}`, `B. Writer ${index % 7}`],
  score: 0.9 - index / 50,
});

const DOCS = rows(14, (index) =>
  [
    `### Section ${index}\n\nSource: https://docs.example/query/section-${index}\n\n\`\`\`ts`,
    `const query = useQuery({ queryKey: ["items", ${index}], queryFn: load${index}, staleTime: ${index === 5 ? "60_000" : "0"} });`,
    "```",
    "",
    "--------------------------------",
  ].join("\n"),
).join("\n");

const SNAPSHOT = (words: string): string =>
  [
    "### Page",
    "- Page URL: https://shop.example/login",
    "- Page Title: Log in",
    "### Snapshot",
    "```yaml",
    ...rows(30, (index) => `  - generic [ref=e${index}]: ${index === 20 ? words : `Line ${index}`}`),
    "```",
  ].join("\n");

export const WEB_TASKS: readonly Task[] = [
  {
    id: "web-news",
    kind: "one",
    intent: "Find what was written about SQLite this month; the first address will do.",
    queries: ["search the web for news"],
    calls: [
      {
        server: "tavily",
        tool: "tavily_search",
        args: { query: "SQLite release", time_range: "month", max_results: 5 },
        answer: json({
          query: "SQLite release",
          follow_up_questions: null,
          answer: null,
          images: [],
          results: rows(5, found),
          response_time: 0.9,
        }),
      },
    ],
    code: `const { results } = await mcp.tavily.tavily_search({ query: "SQLite release", time_range: "month", max_results: 5 }) as any;
return results[0].url;`,
    result: "https://news.example/0",
  },
  {
    id: "local-bakery",
    kind: "one",
    intent: "Look for a bakery near the Danziger Straße with Brave.",
    queries: ["search for local businesses nearby"],
    calls: [
      {
        server: "brave",
        tool: "brave_local_search",
        args: { query: "bakery near Danziger Straße Berlin", count: 2 },
        answer: text(
          rows(
            2,
            (index) =>
              `Name: Bakery ${index}\nAddress: Danziger Straße ${10 + index}, Berlin\nPhone: 030 ${1000 + index}\nRating: 4.${index} (${40 + index} reviews)\nPrice Range: €\nHours: Mo-Sa 07:00-18:00\nDescription: Bread and cake.`,
          ).join("\n---\n"),
        ),
      },
    ],
    code: `const places = String(await mcp.brave.brave_local_search({ query: "bakery near Danziger Straße Berlin", count: 2 }));
return /Address: (.*)/.exec(places)![1];`,
    result: "Danziger Straße 10, Berlin",
  },
  {
    id: "page-title",
    kind: "one",
    intent: "Open https://shop.example/login in the browser: what is its title?",
    queries: ["navigate the browser to a URL"],
    calls: [
      {
        server: "playwright",
        tool: "browser_navigate",
        args: { url: "https://shop.example/login" },
        answer: text(SNAPSHOT("Welcome back")),
      },
    ],
    code: `const page = String(await mcp.playwright.browser_navigate({ url: "https://shop.example/login" }));
return /Page Title: (.*)/.exec(page)![1];`,
    result: "Log in",
  },
  {
    id: "library-docs",
    kind: "sequence",
    intent: "What does the documentation of TanStack Query show as stale time of a minute?",
    queries: ["look up library documentation"],
    inputs: { libraryName: "TanStack Query", topic: "stale time" },
    calls: [
      {
        server: "context7",
        tool: "resolve-library-id",
        args: { libraryName: "TanStack Query", query: "stale time" },
        answer: text(
          rows(
            8,
            (index) =>
              `- Title: TanStack Query${index === 0 ? "" : ` fork ${index}`}\n- Context7-compatible library ID: /tanstack/query${index === 0 ? "" : `-${index}`}\n- Description: Asynchronous state for the web.\n- Code Snippets: ${1200 - index}\n- Source Reputation: High\n- Benchmark Score: ${90 - index}`,
          ).join("\n----------\n"),
        ),
      },
      {
        server: "context7",
        tool: "query-docs",
        args: { libraryId: "/tanstack/query", query: "stale time" },
        answer: text(DOCS),
      },
    ],
    code: `const { libraryName, topic } = args;
const libraries = String(await mcp.context7["resolve-library-id"]({ libraryName, query: topic }));
const libraryId = /library ID: (\\S+)/.exec(libraries)![1];
const docs = String(await mcp.context7["query-docs"]({ libraryId, query: topic }));
return /staleTime: ([1-9][\\d_]*)/.exec(docs)![1];`,
    result: "60_000",
  },
  {
    id: "log-in",
    kind: "sequence",
    intent: "Log in at the shop's test page as mara and say what the page greets her with.",
    queries: ["fill in a form in the browser and click a button"],
    calls: [
      {
        server: "playwright",
        tool: "browser_navigate",
        args: { url: "https://shop.example/login?test" },
        answer: text(SNAPSHOT("Log in")),
      },
      {
        server: "playwright",
        tool: "browser_fill_form",
        args: { fields: [{ name: "User", type: "textbox", target: "e4", value: "mara" }] },
        answer: text(
          "### Ran Playwright code\n```js\nawait page.getByRole('textbox', { name: 'User' }).fill('mara');\n```",
        ),
      },
      {
        server: "playwright",
        tool: "browser_click",
        args: { target: "e20" },
        answer: text(SNAPSHOT("Welcome back, mara")),
      },
    ],
    code: `await mcp.playwright.browser_navigate({ url: "https://shop.example/login?test" });
await mcp.playwright.browser_fill_form({ fields: [{ name: "User", type: "textbox", target: "e4", value: "mara" }] });
const page = String(await mcp.playwright.browser_click({ target: "e20" }));
return /Welcome.*/.exec(page)![0];`,
    result: "Welcome back, mara",
  },
  {
    id: "read-best-hit",
    kind: "sequence",
    intent: "Search with Exa for the retry guide of the payment provider and say how often it retries.",
    queries: ["search the web and fetch a page's content"],
    inputs: { query: "payment provider retry guide" },
    calls: [
      {
        server: "exa",
        tool: "web_search_exa",
        args: { query: "payment provider retry guide", numResults: 4 },
        answer: text(
          rows(
            4,
            (index) =>
              `Title: Guide ${index}\nURL: https://pay.example/guide/${index}\nPublished: 2026-08-0${index + 1}\nAuthor: N/A\nHighlights:\nHow retries work, part ${index}, and what they cost.`,
          ).join("\n\n---\n\n"),
        ),
      },
      {
        server: "exa",
        tool: "web_fetch_exa",
        args: { urls: ["https://pay.example/guide/0"] },
        answer: text(
          [
            "# Guide 0",
            "URL: https://pay.example/guide/0",
            ...rows(
              40,
              (index) =>
                `Paragraph ${index}: a payment that did not come through is looked at again by us, and you are told about it.`,
            ),
            "We try again 5 times within 48 hours.",
          ].join("\n"),
        ),
      },
    ],
    code: `const hits = String(await mcp.exa.web_search_exa({ query: args.query, numResults: 4 }));
const url = /URL: (\\S+)/.exec(hits)![1];
const page = String(await mcp.exa.web_fetch_exa({ urls: [url] }));
return /try again (\\d+) times/.exec(page)![1];`,
    result: "5",
  },
  {
    id: "help-pages",
    kind: "loop",
    intent: "List the help pages of shop.example.",
    queries: ["map all URLs of a website"],
    calls: [
      {
        server: "firecrawl",
        tool: "firecrawl_map",
        args: { url: "https://shop.example", limit: 100 },
        answer: json({ success: true, links: LINKS }),
      },
    ],
    code: `const { links } = await mcp.firecrawl.firecrawl_map({ url: "https://shop.example", limit: 100 }) as any;
return links.map((link: any) => link.url).filter((url: string) => url.includes("/help/")).length;`,
    result: LINKS.filter(({ url }) => url.includes("/help/")).length,
  },
  {
    id: "failed-requests",
    kind: "loop",
    intent: "Which requests of the open page failed?",
    queries: ["list network requests of a browser page"],
    inputs: { pageId: 1 },
    calls: [
      {
        server: "chrome",
        tool: "list_network_requests",
        args: { pageId: 1 },
        answer: text(
          `## Network requests\nShowing 1-${REQUESTS.length} of ${REQUESTS.length} (Page 1 of 1).\n${REQUESTS.join("\n")}`,
        ),
      },
    ],
    code: `const list = String(await mcp.chrome.list_network_requests({ pageId: args.pageId }));
return list.split("\\n").filter((line) => line.includes("failed")).map((line) => /reqid=(\\d+)/.exec(line)![1]);`,
    result: REQUESTS.flatMap((line, index) => (line.includes("failed") ? [String(index + 1)] : [])),
  },
  {
    id: "paper-titles",
    kind: "sequence",
    intent: "Find papers about tool retrieval and ask the best one how large the effect is.",
    queries: ["search research papers and ask a question about one"],
    inputs: { query: "tool retrieval" },
    calls: [
      {
        server: "firecrawl",
        tool: "firecrawl_research_search_papers",
        args: { query: "tool retrieval", k: 12 },
        answer: json({ success: true, results: rows(12, paper) }),
      },
      {
        server: "firecrawl",
        tool: "firecrawl_research_read_paper",
        args: { paperId: "arxiv:2609.1000", question: "How large is the effect?" },
        answer: compact({
          success: true,
          paperId: "arxiv:2609.1000",
          passages: rows(4, (index) => ({
            score: 0.8 - index / 10,
            text:
              index === 0 ? "The effect is 2.3 points." : `Passage ${index} is about how it was measured.`,
          })),
        }),
      },
    ],
    code: `const { results } = await mcp.firecrawl.firecrawl_research_search_papers({ query: args.query, k: 12 }) as any;
const { paperId, title } = results[0];
const { passages } = await mcp.firecrawl.firecrawl_research_read_paper({ paperId, question: "How large is the effect?" }) as any;
return { title, answer: passages[0].text };`,
    result: { title: "On the cost of retrieval, part 0", answer: "The effect is 2.3 points." },
  },
];

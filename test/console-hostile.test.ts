/**
 * Two hundred hostile texts in everything that servers, tools, answers, errors, output and names can give: every screen is
 * visited with its details open, and nothing of them becomes markup, code, a link or a request.
 */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { XSS } from "./corpus/xss.ts";
import { endBrowserAfterAll, openBarePage, openConsolePage, settle } from "./rig/browser.ts";
import { fixture, openStand, type ConsoleStand } from "./rig/console-stand.ts";

/** Fourteen screens with their tabs. */
const PATIENCE_MS = 180_000;
/** Of each screen, so many details are opened. */
const OPENED_MAX = 12;
const TAG = "<img src=x onerror=__xss(30)>";

const at = {} as { stand: ConsoleStand; runs: string[]; approval: string };

beforeAll(async () => {
  at.stand = await openStand((place) => {
    const evil = fixture("xss-server.mjs");
    place.configure({
      mcpServers: {
        evil: { ...evil, trust: "allow" },
        // Its id keeps the letters of its name.
        "<script>held</script>": { ...evil, trust: "scan" },
        [`broken ${TAG}`]: { command: `no-such-program ${TAG}`, args: [XSS[0], "javascript:__xss(130)"] },
        waits: { command: process.execPath, env: { KEY: "${input:evil_key}" } },
        remote: { url: "https://evil.invalid/mcp", enabled: false },
      },
      inputs: [{ id: "evil_key", type: "promptString", description: TAG, password: true }],
      rules: [
        {
          tool: "evil__link",
          when: "args.from === 150",
          do: "ask",
          why: XSS.slice(30, 60).join(" ").slice(0, 900),
        },
      ],
      profiles: { hostile: { servers: ["evil"], describe: { evil__say: TAG } } },
      calls: { arguments: true },
    });
    place.tokenFor("script-alert-1", ["read", "call"]);
  });
  Object.assign(at, await act(at.stand));
}, PATIENCE_MS);
afterAll(() => at.stand?.close());
endBrowserAfterAll();

const CODE = `// ${TAG} </script><script>__xss(0)</script>
const texts = args.texts;
for (const text of texts) console.log(text);
console.error(texts[0], { [texts[30]]: texts[31] });
const said = await mcp.evil.say({ from: 0, text: texts[30] });
const shaped = await mcp.evil.shape({ from: 50 });
const linked = await mcp.evil.link({ from: 100 });
const refused = await mcp.evil.refuse({ from: 150 }).catch((error) => String(error));
const failed = await mcp.evil.fail({ from: 0 }).catch((error) => String(error));
return { texts, said, shaped, linked, refused, failed, [texts[30]]: texts };`;

/** Everything that clients can do, with hostile texts for it. */
async function act(stand: ConsoleStand): Promise<{ runs: string[]; approval: string }> {
  const client = await stand.join(TAG);
  const inputs = { texts: XSS, [TAG]: TAG, html: "<svg onload=__xss(54)>" };
  const run = async (args: Record<string, unknown>): Promise<string> => {
    const { structuredContent } = await client.call("execute", args);
    const id = structuredContent?.["run_id"];
    if (typeof id !== "string") throw new Error(JSON.stringify(structuredContent));
    return id;
  };
  const good = await run({ code: CODE, inputs, intent: XSS.slice(0, 4).join(" "), save_as: "hostile:texts" });
  const thrown = await run({
    code: `throw new Error(args.text)`,
    inputs: { text: XSS.join("\n") },
    intent: TAG,
  });
  const listed = await stand.join("javascript:__xss(130)");
  for (const from of [0, 50, 100, 150])
    for (const tool of ["say", "shape", "refuse", "fail"])
      await listed.call(`evil__${tool}`, { from, text: TAG }).catch(() => undefined);
  for (const name of ["held", "evil"]) await listed.call("browse_components", { query: `${name} ${TAG}` });
  const asked = await client.call("evil__link", { from: 150, text: XSS.slice(0, 40).join(" ") });
  return { runs: [good, thrown], approval: String(asked.structuredContent?.["run_id"]) };
}

const paths = (): readonly string[] => [
  "/",
  "/inbox",
  "/inbox?kind=held",
  "/runs",
  ...at.runs.map((run) => `/runs/${run}`),
  `/runs/${at.approval}`,
  "/library",
  "/library/hostile%3Atexts",
  "/servers",
  "/servers/evil",
  "/servers/script_held_script",
  "/tools",
  "/tools?query=script%20alert",
  "/tools/evil__say",
  "/tools/evil__part_0",
  "/tools/evil__part_150",
  "/code",
  "/calls",
  "/access",
];

const audit = (page: Page) => page.evaluate<string[]>("inPage.audit()");

/** How much of the corpus is on screen. */
const countOf = async (page: Page) => (await page.getByRole("main").innerText()).split("__xss(").length;

/** Every tab, and in each of them what can be opened. */
async function openDetails(page: Page): Promise<string[]> {
  const problems: string[] = [];
  const look = async (): Promise<void> => {
    await settle(page);
    problems.push(...(await audit(page)));
  };
  const tabs = page.getByRole("main").getByRole("tab");
  const count = await tabs.count();
  for (let tab = 0; tab < Math.max(1, count); tab += 1) {
    if (count > 0) await tabs.nth(tab).click();
    await look();
    await expandIn(page);
    await look();
  }
  return problems;
}

async function expandIn(page: Page): Promise<void> {
  const closed = page.locator("main [aria-expanded=false]:not([aria-haspopup])");
  for (let opened = 0; opened < OPENED_MAX; opened += 1) {
    const count = await closed.count();
    if (count <= opened) return;
    await closed
      .nth(opened)
      .click({ timeout: 2_000 })
      .catch(() => undefined);
  }
}

describe("the corpus", () => {
  it("has two hundred different texts, and is dangerous where nothing protects a page", async () => {
    expect([XSS.length, new Set(XSS).size]).toEqual([200, 200]);
    const page = await openBarePage();
    // Those that leave the page or stop it would end the experiment.
    const texts = XSS.filter((text) => !/http-equiv|alert|<base|<form/.test(text));
    const hit = await page.evaluate<number>(`(async () => {
      const hits = new Set();
      globalThis.__xss = (number) => hits.add(number);
      for (const text of ${JSON.stringify(texts)}) {
        const box = document.createElement("div");
        document.body.append(box);
        box.innerHTML = text;
      }
      // Errors of images come after this turn.
      const loaded = new Image();
      await new Promise((done) => { loaded.onerror = done; loaded.src = "x:"; });
      await new Promise((done) => setTimeout(done, 300));
      return hits.size;
    })()`);
    expect(hit).toBeGreaterThan(30);
  });
});

describe("every screen", () => {
  it("shows hostile texts as texts, with every detail open", { timeout: PATIENCE_MS }, async () => {
    const { page, faults, go } = await openConsolePage(at.stand.own);
    const found: Record<string, string[]> = {};
    const shown: string[] = [];
    for (const path of paths()) {
      await go(path);
      const problems = await openDetails(page);
      if (problems.length > 0) found[path] = problems.slice(0, 5);
      if ((await page.getByRole("main").innerText()).includes("__xss(")) shown.push(path);
    }
    expect(found).toEqual({});
    expect(faults).toEqual([]);
    // It was there: these screens have it in their text.
    expect(shown).toEqual(
      expect.arrayContaining(["/runs", `/runs/${at.runs[0]}`, "/servers/evil", "/tools/evil__say", "/inbox"]),
    );
    expect(shown.length).toBeGreaterThan(8);
  });

  it("a try shows what a tool answers as texts, whatever it answers", { timeout: PATIENCE_MS }, async () => {
    const { page, faults, go } = await openConsolePage(at.stand.own);
    for (const tool of ["say", "link", "shape", "refuse", "fail"]) {
      await go(`/tools/evil__${tool}`);
      await settle(page);
      const before = await countOf(page);
      await page.keyboard.press("Control+Enter");
      const confirm = page.getByRole("dialog").getByRole("button", { name: "Make the call" });
      await confirm.click();
      await expect.poll(() => countOf(page)).toBeGreaterThan(before);
      await settle(page);
      expect([tool, await audit(page)]).toEqual([tool, []]);
    }
    expect(faults).toEqual([]);
  });

  it("the palette and a dialog show them as texts too", { timeout: PATIENCE_MS }, async () => {
    const { page, faults, go } = await openConsolePage(at.stand.own);
    await go("/");
    await settle(page);
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").waitFor();
    await page.keyboard.type("img script onerror");
    await page.getByRole("option").nth(3).waitFor();
    expect(await audit(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await go(`/inbox`);
    await settle(page);
    await page.keyboard.press("a");
    await page.getByRole("dialog").waitFor();
    expect(await page.getByRole("dialog").innerText()).toContain("__xss(");
    expect(await audit(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(faults).toEqual([]);
  });

  it("addresses with hostile names find nothing and do nothing", async () => {
    const { page, faults, go } = await openConsolePage(at.stand.own);
    for (const text of [TAG, "javascript:__xss(130)", "__proto__", "..%2f..%2fx"]) {
      for (const screen of ["runs", "library", "servers", "tools"]) {
        await go(`/${screen}/${encodeURIComponent(text)}`);
        await page.getByRole("main").waitFor();
        expect([screen, text, await audit(page)]).toEqual([screen, text, []]);
      }
    }
    await go(`/runs?text=${encodeURIComponent(TAG)}&status=${encodeURIComponent(TAG)}`);
    await go(`/calls?tool=${encodeURIComponent(TAG)}`);
    await go(`/nowhere/${encodeURIComponent(TAG)}#${TAG}`);
    expect(await audit(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

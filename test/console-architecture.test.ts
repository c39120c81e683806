/** The rooms of the browser's half, and what no file of it may do. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { describe, expect, it } from "vitest";

/** Who may import whom, inside of `console/`. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  api: [],
  parts: [],
  screens: ["api", "parts"],
  app: ["api", "parts", "screens"],
};

/**
 * What a screen has of another: the page of one thing uses what its list has, and the run decides as the inbox does. The other
 * way round nothing is used.
 */
const LENDERS: Readonly<Record<string, readonly string[]>> = {
  run: ["inbox"],
  server: ["servers"],
  item: ["library"],
};

/** Of the gateway, the page has types, and these values: they import nothing. */
const VALUES_OF_SRC = ["src/operator/routes.ts", "src/operator/twins.ts"];

/** Ways from a text to markup or to code. */
const DANGERS =
  /dangerouslySetInnerHTML|\binnerHTML\b|\bouterHTML\b|insertAdjacentHTML|document\.write|\beval\s*\(|new Function\b|createContextualFragment|setHTMLUnsafe|parseFromString|srcdoc/i;

const root = join(import.meta.dirname, "..");
const files = globSync("console/**/*.{ts,tsx}", { cwd: root }).filter(
  (file) => !/\.(test|testkit)\.tsx?$/.test(file) && !file.endsWith("vite.config.ts"),
);

interface Import {
  readonly from: string;
  readonly target: string;
  readonly isType: boolean;
}

function importsOf(from: string): Import[] {
  const text = readFileSync(join(root, from), "utf8");
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;"]*?from\s+"(\.[^"]+)"|import\s*\(?\s*"(\.[^"]+)"/g,
  );
  return [...found].map(([, type, named, bare]) => ({
    from,
    target: relative(root, normalize(join(root, dirname(from), (named ?? bare)!))),
    isType: type !== undefined,
  }));
}

const roomOf = (file: string): string => file.split("/")[1]!;
/** A screen is a folder of `screens`. */
const screenOf = (file: string): string => file.split("/")[2]!;

function wrongOf({ from, target, isType }: Import): string | undefined {
  if (target.startsWith("src/"))
    return isType || VALUES_OF_SRC.includes(target) ? undefined : `${from} → the value of ${target}`;
  if (!target.startsWith("console/")) return `${from} → ${target}`;
  if (roomOf(target) !== roomOf(from))
    return MAY_IMPORT[roomOf(from)]?.includes(roomOf(target)) === true ? undefined : `${from} → ${target}`;
  if (roomOf(from) !== "screens" || screenOf(from) === screenOf(target)) return undefined;
  const isLent = LENDERS[screenOf(from)]?.includes(screenOf(target)) === true;
  return isLent ? undefined : `${from} → another screen, ${target}`;
}

describe("the rooms of the console", () => {
  it("are all seen", () => {
    expect(files.length).toBeGreaterThan(60);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(200);
    expect(new Set(files.map(roomOf))).toEqual(new Set(Object.keys(MAY_IMPORT)));
    expect(files.flatMap(importsOf).some(({ target }) => VALUES_OF_SRC.includes(target))).toBe(true);
  });

  it("import one way, and of the gateway types, routes and twins", () => {
    expect(files.flatMap(importsOf).flatMap((each) => wrongOf(each) ?? [])).toEqual([]);
  });

  it("import types of the gateway only where those live that people see", () => {
    const targets = files.flatMap(importsOf).filter(({ target }) => target.startsWith("src/"));
    expect(
      targets.map(({ target }) => target).filter((each) => !/^src\/(operator|core)\//.test(each)),
    ).toEqual([]);
    for (const file of VALUES_OF_SRC) expect(importsOf(file).filter(({ isType }) => !isType)).toEqual([]);
  });

  it.each([
    ["console/parts/a.tsx", "console/api/b.ts", false],
    ["console/api/a.ts", "console/parts/b.tsx", false],
    ["console/screens/run/a.tsx", "console/screens/runs/b.tsx", false],
    ["console/screens/servers/a.tsx", "console/screens/server/b.tsx", false],
    ["console/screens/server/a.tsx", "console/screens/servers/b.tsx", true],
    ["console/screens/run/a.tsx", "console/app/b.tsx", false],
    ["console/screens/run/a.tsx", "src/operator/run-view.ts", false],
    ["console/screens/run/a.tsx", "test/rig/browser.ts", false],
    ["console/screens/run/a.tsx", "console/screens/run/waterfall/b.tsx", true],
    ["console/app/a.tsx", "console/screens/run/b.tsx", true],
    ["console/api/a.ts", "src/operator/twins.ts", true],
  ])("%s → %s is told", (from, target, isFine) => {
    expect(wrongOf({ from, target, isType: false }) === undefined).toBe(isFine);
  });
});

describe("every file of the console", () => {
  it("knows no way from a text to markup or code", () => {
    const found = files.filter((file) => DANGERS.test(readFileSync(join(root, file), "utf8")));
    expect(found).toEqual([]);
    for (const danger of ["dangerouslySetInnerHTML={", "a.innerHTML = b", "eval(text)", "new Function(text)"])
      expect(DANGERS.test(danger)).toBe(true);
  });

  it("has no default export and is no drawer for odds and ends", () => {
    const texts = files.map((file) => [file, readFileSync(join(root, file), "utf8")] as const);
    expect(texts.filter(([, text]) => /^export default/m.test(text)).map(([file]) => file)).toEqual([]);
    expect(
      files.filter((file) => /(^|\/)(utils?|helpers?|shared|common|lib|misc)(\.tsx?|\/)/.test(file)),
    ).toEqual([]);
  });

  it("the page itself has no inline script, style or handler", () => {
    const page = readFileSync(join(root, "console/index.html"), "utf8");
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:/i);
    expect(
      [...page.matchAll(/(?:src|href)="([^"]*)"/g)].every(([, url]) => !/^(https?:)?\/\//.test(url!)),
    ).toBe(true);
  });
});

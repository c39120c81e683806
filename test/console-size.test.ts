/** How much the page loads before it shows something, and what it must not load by then. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { measureConsole, SHELL_BYTES_MAX } from "../scripts/console-size.ts";

const FOLDER = join(import.meta.dirname, "../dist/console");
/** The editor with its languages is the largest of what comes later. */
const LATER_BYTES_MAX = 200_000;
/** Words that only one package has. */
const LAZY = {
  editor: /cm-editor|\.cm-content/,
  graph: /react-flow__/,
  layout: /rankdir|acyclicer/,
  chart: /u-over|u-under/,
  palette: /cmdk-item/,
};

const textOf = (file: string) => readFileSync(join(FOLDER, file), "utf8");

it("the first paint loads at most 130 kB", () => {
  expect(SHELL_BYTES_MAX).toBe(130_000);
  const { shellBytes, shell } = measureConsole(FOLDER);
  console.log(`the shell: ${(shellBytes / 1000).toFixed(1)} kB`);
  expect(shell.map(({ file }) => file)).toContainEqual(expect.stringMatching(/\.css$/));
  expect(shellBytes).toBeLessThanOrEqual(SHELL_BYTES_MAX);
});

it("editor, graph, chart and palette come later, each in a file of bounded size", () => {
  const { shell, later } = measureConsole(FOLDER);
  const own = shell
    .filter(({ file }) => file.endsWith(".js"))
    .map(({ file }) => textOf(file))
    .join("\n");
  const rest = later
    .filter(({ file }) => file.endsWith(".js"))
    .map(({ file }) => textOf(file))
    .join("\n");
  for (const [name, words] of Object.entries(LAZY)) expect([name, words.test(own)]).toEqual([name, false]);
  // They are there at all, so the words above still mean them.
  for (const name of ["editor", "graph", "palette"] as const)
    expect([name, LAZY[name].test(rest)]).toEqual([name, true]);
  expect(later.filter(({ bytes }) => bytes > LATER_BYTES_MAX)).toEqual([]);
});

it("no built file needs more than its own origin", () => {
  const files = globSync("**/*.{js,css,html}", { cwd: FOLDER });
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const danger = file.endsWith(".js")
      ? /\beval\(|new Function\(|document\.write\(/
      : /<script(?![^>]*\bsrc=)|<style|@import|url\(["']?https?:/;
    expect([file, danger.test(textOf(file))]).toEqual([file, false]);
  }
});

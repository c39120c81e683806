import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { openBrowser } from "./open-browser.ts";

/** Starts nothing that shows anything; remembers what was to be started. */
function watchStarts() {
  const started: (readonly string[])[] = [];
  const start = ((_command: string, args: readonly string[]) => {
    started.push(args);
    return spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
  }) as unknown as typeof spawn;
  return { started, start };
}

it("T086: a page is one argument of a program, whatever is in it", () => {
  const { started, start } = watchStarts();
  const url = new URL("https://as.example/authorize?a=$(id)&b=`id`&c=;id|id");
  openBrowser(url, start);
  expect(started.map((args) => args.at(-1))).toEqual([url.href]);
});

it.each(["file:///etc/passwd", "javascript:alert(1)", "vscode://x"])("T086: %s is not opened", (url) => {
  const { started, start } = watchStarts();
  openBrowser(new URL(url), start);
  expect(started).toEqual([]);
});

import { spawn } from "node:child_process";

/** The program of each system that opens a page, and what it is given before the URL. No shell reads any of it. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Tries to show a page; where there is no browser, nothing happens. */
export function openBrowser(url: URL, start: typeof spawn = spawn): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") return;
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = start(command, [...args, url.href], { stdio: "ignore", detached: true });
  child.once("error", () => {});
  child.unref();
}

import { describePassed } from "../src/process/passed-environment.ts";

const PLACE = /(<!-- passed-environment: npm run schema -->\n)[\s\S]*?(<!-- \/passed-environment -->)/;

/** The page on servers with the table of what they see of the environment. */
export function withPassedEnvironment(page: string): string {
  if (!PLACE.test(page)) throw new Error("docs/servers.md has no place for the table of variables");
  return page.replace(PLACE, (_, begin: string, end: string) => `${begin}${describePassed()}\n${end}`);
}

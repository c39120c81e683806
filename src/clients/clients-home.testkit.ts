import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { loadConfig } from "../config/load.ts";
import { formatProblem } from "../config/problem.ts";
import type { ClientPlace } from "./client.ts";
import type { ImportPlan } from "./import/plan-import.ts";

const FIXTURE = join(import.meta.dirname, "../../test/fixtures/clients/home");
/** The home folder that the files of the fixture name. */
const WRITTEN_HOME = "/home/dev";

/** A home folder on the real disk, gone when the test is. */
export interface ClientsHome {
  readonly place: ClientPlace;
  readonly write: (path: string, content: unknown) => string;
  /** The problems of a config that is what a plan adds. */
  readonly load: (plan: Pick<ImportPlan, "additions">) => string[];
}

/** An empty one, with a project folder `work/shop`. */
export function createClientsHome(env: ClientPlace["env"] = {}): ClientsHome {
  const homedir = realpathSync(mkdtempSync(join(tmpdir(), "repertoire-test-")));
  onTestFinished(() => rmSync(homedir, { recursive: true, force: true }));
  const cwd = join(homedir, "work", "shop");
  mkdirSync(cwd, { recursive: true });
  const write = (path: string, content: unknown): string => {
    const file = join(homedir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  };
  return {
    place: { platform: "linux", env, homedir, cwd },
    write,
    load({ additions }) {
      const mcpServers = Object.fromEntries(additions.map(({ key, entry }) => [key, entry]));
      const inputs = new Map(
        additions.flatMap((addition) => addition.inputs.map((input) => [input.id, input])),
      );
      const configPath = write("planned.json", { mcpServers, inputs: [...inputs.values()] });
      const result = loadConfig({ configPath, env, homedir, cwd, home: join(homedir, "data") });
      return result.ok ? [] : result.problems.map(formatProblem);
    },
  };
}

/** The home of the fixture, with the paths in its files as they are on this disk. */
export function copyClientsHome(env: ClientPlace["env"] = {}): ClientsHome {
  const home = createClientsHome(env);
  for (const entry of readdirSync(FIXTURE, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    home.write(
      relative(FIXTURE, file),
      readFileSync(file, "utf8").replaceAll(WRITTEN_HOME, home.place.homedir),
    );
  }
  return home;
}

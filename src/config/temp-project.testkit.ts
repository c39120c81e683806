import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Config } from "./config.ts";
import type { LoadOptions } from "./files/config-text.ts";
import { loadConfig, type LoadResult } from "./load.ts";
import { formatProblem, type ConfigProblem } from "./problem.ts";

/** A project folder, a user and a home of its own, on the real disk, gone when the test is. */
export interface TempProject {
  readonly cwd: string;
  readonly userFolder: string;
  readonly home: string;
  readonly options: { cwd: string; homedir: string; home: string; env: Record<string, string> };
  /** Writes a file below the folder of the test; an object as JSON. */
  readonly write: (path: string, content: unknown) => string;
}

export function createTempProject(): TempProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "repertoire-config-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const cwd = join(root, "project");
  const homedir = join(root, "user");
  const home = join(root, "home");
  mkdirSync(cwd);
  return {
    cwd,
    home,
    userFolder: join(homedir, ".config", "repertoire"),
    options: { cwd, homedir, home, env: {} },
    write(path, content) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
      return file;
    },
  };
}

/** Loads a file as `--config` would. */
export function loadText(content: unknown, env: Record<string, string> = {}, options: LoadOptions = {}) {
  const project = createTempProject();
  const configPath = project.write("project/repertoire.json", content);
  return loadConfig({ ...project.options, configPath, env, ...options });
}

export function requireConfig(content: unknown, env: Record<string, string> = {}): Config {
  const result = loadText(content, env);
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join("\n"));
  return result.config;
}

/** The problems of a file, of its servers and otherwise, as they are printed. */
export function problemsOf(content: unknown, env: Record<string, string> = {}): string[] {
  return allProblems(loadText(content, env)).map(formatProblem);
}

/** What keeps the file or one of its servers from being used. */
export function allProblems(result: LoadResult): readonly ConfigProblem[] {
  return result.ok ? result.config.servers.flatMap(({ problems }) => problems) : result.problems;
}

export function textOf(problems: readonly ConfigProblem[]): string {
  return problems.map(formatProblem).join("\n");
}

import { Command } from "commander";
import { expect, it } from "vitest";
import { collect, completesOf, defineCommand, GROUP_TITLES, registerCommand } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import type { GlobalOptions } from "./global-options.ts";

/** Registers one command, parses the words, and returns what `run` got and the exit code. */
async function parse(definition: Parameters<typeof registerCommand>[1], words: readonly string[]) {
  const exitCodes: number[] = [];
  const program = new Command("program").option("--no-input", "never ask").exitOverride();
  program.configureOutput({ writeErr: () => {} });
  registerCommand(program, definition, (exitCode) => exitCodes.push(exitCode));
  await program.parseAsync([...words], { from: "user" });
  return exitCodes;
}

it("hands run the options and the arguments, and hands on its exit code", async () => {
  const got: unknown[] = [];
  const definition = defineCommand({
    name: "copy",
    summary: "Copy",
    arguments: [
      { words: "<from>", about: "" },
      { words: "[to...]", about: "" },
    ],
    options: [{ flags: "--tag <tag>", about: "", parse: collect, default: [] }],
    run: (options: GlobalOptions & { readonly tag?: string[] }, ...args: unknown[]) => {
      got.push(options.tag, args);
      return 7;
    },
  });
  const exitCodes = await parse(definition, ["copy", "a", "b", "c", "--tag", "x", "--tag", "y"]);
  expect(exitCodes).toEqual([7]);
  expect(got).toEqual([
    ["x", "y"],
    ["a", ["b", "c"]],
  ]);
});

it("prefers an option of the command to one of the program that has the same name", async () => {
  const got: unknown[] = [];
  const definition = defineCommand({
    name: "run",
    summary: "Run",
    options: [{ flags: "--input <pair>", about: "", parse: collect, default: [] }],
    run: (options: GlobalOptions & { readonly input?: unknown }) => {
      got.push(options.input);
      return 0;
    },
  });
  await parse(definition, ["--no-input", "run", "--input", "a=1"]);
  expect(got).toEqual([["a=1"]]);
});

it("refuses words beyond the arguments, unless the command takes them", async () => {
  const got: unknown[] = [];
  const definition = {
    name: "set",
    summary: "Set",
    arguments: [{ words: "<id>", about: "" }],
    run: (_options: object, ...args: unknown[]) => got.push(args) - 1,
  };
  await expect(parse(definition, ["set", "a", "b"])).rejects.toThrow(/too many arguments/);
  await parse({ ...definition, takesExcess: true }, ["set", "a", "b"]);
  expect(got).toEqual([["a", "b"]]);
});

it("runs under an earlier name, which help does not list as a command of its own", async () => {
  const definition = defineCommand({ name: "cost", aliases: ["tokens"], summary: "Cost", run: () => 3 });
  expect(await parse(definition, ["tokens"])).toEqual([3]);
});

it("knows what completes an argument and an option", () => {
  const command = registerCommand(
    new Command(),
    {
      name: "call",
      summary: "Call",
      arguments: [{ words: "<tool>", about: "", completes: ["tools"] }],
      options: [
        { flags: "--out <file>", about: "", completes: ["files"] },
        { flags: "--all", about: "" },
      ],
    },
    () => {},
  );
  expect(completesOf(command.registeredArguments[0]!)).toEqual(["tools"]);
  expect(command.options.map(completesOf)).toEqual([["files"], []]);
});

it("every command has a group, a name of its own and a summary of one line", () => {
  const names = COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(names).toHaveLength(62);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, group, summary, isHidden, help = "" } of COMMANDS) {
    expect(Object.keys(GROUP_TITLES), name).toContain(group);
    expect(summary, name).toMatch(isHidden === true ? /^$/ : /^[A-Z][^\n]*[^.\n]$/);
    for (const line of help.split("\n")) expect(line.length, `${name}: ${line}`).toBeLessThanOrEqual(120);
  }
});

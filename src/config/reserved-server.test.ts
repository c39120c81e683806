import { expect, onTestFinished, test } from "vitest";
import { reserveServer } from "./reserved-server.ts";
import { createConfigSource, type ConfigSource } from "./source.ts";
import { createTempProject, type TempProject } from "./temp-project.testkit.ts";

const FILE = "user/.config/repertoire/repertoire.json";
const IDS = (source: ConfigSource) => source.current().servers.map(({ id }) => id);

function open(project: TempProject): ConfigSource {
  const created = createConfigSource({ ...project.options, pollMs: 600_000, settleMs: 600_000 });
  if (!created.ok) throw new Error(JSON.stringify(created.problems));
  onTestFinished(() => created.source.close());
  return created.source;
}

function serversOf(...keys: string[]): object {
  return { mcpServers: Object.fromEntries(keys.map((key) => [key, { command: "x" }])) };
}

test("a reserved id is no server's, now and in each config that comes", async () => {
  const project = createTempProject();
  project.write(FILE, serversOf("Program", "cell"));
  const whole = open(project);
  const source = reserveServer(whole, "program");
  const heard: string[][] = [];
  source.subscribe((event) => {
    if (event.kind === "changed") heard.push(event.config.servers.map(({ id }) => id));
  });
  expect([IDS(whole), IDS(source)]).toEqual([["cell", "program"], ["cell"]]);

  project.write(FILE, serversOf("program", "other"));
  await source.check();
  expect(heard).toEqual([["other"]]);
  expect(IDS(source)).toEqual(["other"]);
});

test("the config is the same object until it changes, and the very one where nothing is left out", () => {
  const project = createTempProject();
  project.write(FILE, serversOf("program"));
  const whole = open(project);
  const source = reserveServer(whole, "program");
  expect(source.current()).toBe(source.current());
  expect(Object.isFrozen(source.current())).toBe(true);
  expect(reserveServer(whole, "other").current()).toBe(whole.current());
});

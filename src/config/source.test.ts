import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createConfigSource, type ConfigEvent, type ConfigSource } from "./source.ts";
import { createTempProject, type TempProject } from "./temp-project.testkit.ts";

function requireSource(project: TempProject): ConfigSource {
  const created = createConfigSource({ ...project.options, pollMs: 600_000, settleMs: 600_000 });
  if (!created.ok) throw new Error(JSON.stringify(created.problems));
  onTestFinished(() => created.source.close());
  return created.source;
}

test("holds the last good config and tells of each change", async () => {
  const project = createTempProject();
  project.write("user/.config/repertoire/repertoire.json", { exposure: "lean" });
  const source = requireSource(project);
  const events: ConfigEvent[] = [];
  source.subscribe((event) => events.push(event));
  expect(source.current().exposure).toBe("lean");

  project.write("user/.config/repertoire/repertoire.json", { exposure: "nonsense" });
  await source.check();
  expect(source.current().exposure).toBe("lean");

  project.write("user/.config/repertoire/repertoire.json", { exposure: "full" });
  await source.check();
  expect(source.current().exposure).toBe("full");
  expect(events).toMatchObject([
    { kind: "broken", problems: [{ path: "exposure" }] },
    { kind: "changed", config: { exposure: "full" } },
  ]);
});

test("has the new config in force before subscribers hear of it", async () => {
  const project = createTempProject();
  const source = requireSource(project);
  const seen: string[] = [];
  source.subscribe(() => seen.push(source.current().exposure));
  project.write("user/.config/repertoire/repertoire.json", { exposure: "full" });
  await source.check();
  expect(seen).toEqual(["full"]);
});

test("tells nobody who has left, and nobody after close", async () => {
  const project = createTempProject();
  const source = requireSource(project);
  const heard: string[] = [];
  const stop = source.subscribe(() => heard.push("left"));
  source.subscribe(() => heard.push("stayed"));
  stop();
  project.write("user/.config/repertoire/repertoire.json", { exposure: "full" });
  await source.check();
  source.close();
  project.write("user/.config/repertoire/repertoire.json", { exposure: "lean" });
  await source.check();
  expect(heard).toEqual(["stayed"]);
});

test("leaves a config that is broken from the start to its caller", () => {
  const project = createTempProject();
  project.write("user/.config/repertoire/repertoire.json", "{");
  expect(createConfigSource(project.options)).toMatchObject({
    ok: false,
    problems: [{ file: join(project.userFolder, "repertoire.json") }],
  });
});

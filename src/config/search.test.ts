import { describe, expect, test } from "vitest";
import { describeConfig, describeSettingsForTrust } from "./describe.ts";
import { loadConfig } from "./load.ts";
import { createTempProject, loadText, requireConfig, textOf } from "./temp-project.testkit.ts";

describe("search.embeddings", () => {
  const key = "k".repeat(20);
  const embeddings = {
    url: "http://localhost:11434/v1?sig=signed",
    model: "m",
    apiKey: "${MODEL}",
    dimensions: 256,
  };
  const config = () => requireConfig({ search: { embeddings } }, { MODEL: key });

  test("is off by default, has a url and a model, and needs no more", () => {
    expect(requireConfig({}).search).toEqual({});
    const least = { url: "http://127.0.0.1:8080/v1", model: "small" };
    expect(requireConfig({ search: { embeddings: least } }).search).toEqual({ embeddings: least });
  });

  test("T136: has a key that is a secret and shows in no description, in no JSON and not before trust", () => {
    expect(config().search.embeddings).toMatchObject({ apiKey: key, dimensions: 256 });
    expect(config().secrets).toEqual([`Bearer ${key}`, key, "signed"]);
    const shown = [config().search, describeConfig(config()), describeSettingsForTrust(config())];
    expect(JSON.stringify(shown)).toContain('"dimensions":256');
    expect(JSON.stringify(shown)).not.toContain(key);
    expect(JSON.stringify(describeConfig(config()))).not.toContain("signed");
  });

  test("has no effect in a project file that is not trusted", () => {
    const project = createTempProject();
    project.write("project/repertoire.json", { search: { embeddings: { ...embeddings, apiKey: key } } });
    const loaded = loadConfig(project.options);
    expect(loaded).toMatchObject({ ok: true, config: { search: {} } });
    expect(loaded.ok && loaded.config.search.embeddings).toBeUndefined();
  });

  test.each([
    [{ model: "m" }, "search.embeddings.url"],
    [{ url: "https://h" }, "search.embeddings.model"],
    [
      { url: "https://me:pw@h", model: "m" },
      "search.embeddings.url: must not contain a user name or password",
    ],
    [{ url: "https://h", model: "m", apiKey: "a\nb" }, "search.embeddings.apiKey: has a line break"],
    [{ url: "https://h", model: "m", dimensions: 0 }, "must be a whole number from 1 to 8192"],
    [{ url: "https://h", model: "m", dimension: 1 }, 'unknown key; did you mean "dimensions"?'],
  ])("%j is a problem", (wrong, problem) => {
    const result = loadText({ search: { embeddings: wrong } });
    expect(result.ok ? "" : textOf(result.problems)).toContain(problem);
  });
});

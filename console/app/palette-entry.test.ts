import { describe, expect, it } from "vitest";
import { rankEntries } from "./palette-entry.ts";

const entry = (id: string, label: string, words: string[] = []) => ({ id, label, words });
const ALL = [
  entry("tool:github__list_issues", "github.list_issues"),
  entry("tool:github__get_issue", "github.get_issue"),
  entry("tool:mail__send", "mail.send", ["Send a mail"]),
];
const ids = (text: string, recent: string[] = []) => rankEntries(ALL, text, recent).map(({ id }) => id);

describe("the order of the palette", () => {
  it("finds names with letters left out", () => {
    expect(ids("lisiss")).toEqual(["tool:github__list_issues"]);
  });

  it("wants every word, in any order, also of the description", () => {
    expect(ids("issue github get")).toEqual(["tool:github__get_issue"]);
    expect(ids("mail a")).toEqual(["tool:mail__send"]);
    expect(ids("mail zebra")).toEqual([]);
  });

  it("has what was used lately first among those that match as well", () => {
    expect(ids("github", ["tool:github__get_issue"])[0]).toBe("tool:github__get_issue");
    expect(ids("github", ["tool:github__list_issues"])[0]).toBe("tool:github__list_issues");
  });

  it("is everything where nothing is asked for", () => {
    expect(ids("")).toHaveLength(3);
  });
});

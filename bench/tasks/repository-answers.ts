/** What code hosts, git and a linter answer to the tasks. */
import { hash, rows } from "./task.ts";

export const repository = { owner: "acme", repo: "shop" };

export const user = (login: string) => ({
  login,
  id: 40_000 + login.length,
  avatar_url: `https://avatars.example/u/${login}`,
  url: `https://api.github.example/users/${login}`,
  html_url: `https://github.example/${login}`,
});

const LOGINS = ["mara", "jonas", "ines", "tomek"];
const AREAS = ["checkout", "search", "basket", "mail"];

/** Of every third nobody has said anything for long. */
export const issue = (index: number) => ({
  url: `https://api.github.example/repos/acme/shop/issues/${100 + index}`,
  html_url: `https://github.example/acme/shop/issues/${100 + index}`,
  id: 2_000_000 + index,
  number: 100 + index,
  state: "open",
  locked: false,
  title: `The ${AREAS[index % 4]} page ${index % 2 === 0 ? "is slow" : "loses what was typed"} (${index})`,
  user: user(LOGINS[index % 4]!),
  labels: [{ id: 7, name: index % 5 === 0 ? "bug" : "question", color: "d73a4a" }],
  comments: index % 7,
  created_at: `2026-0${1 + (index % 6)}-11T09:00:00Z`,
  updated_at: index % 3 === 0 ? "2026-02-01T10:00:00Z" : "2026-09-20T10:00:00Z",
  body: `Since the last release the ${AREAS[index % 4]} page behaves otherwise than before. Steps: open it, wait, look.`,
});
export const ISSUES = rows(30, issue);
export const STALE = ISSUES.filter(({ updated_at }) => updated_at < "2026-06-01");

const pull = (number: number, title: string) => ({
  url: `https://api.github.example/repos/acme/shop/pulls/${number}`,
  html_url: `https://github.example/acme/shop/pull/${number}`,
  number,
  state: "open",
  title,
  user: user("ines"),
  body: "See the issue for what was wrong.",
  created_at: "2026-10-01T08:00:00Z",
  head: { label: "acme:fix", ref: `fix-${number}`, sha: hash(number) },
  base: { label: "acme:main", ref: "main", sha: hash(1) },
  draft: false,
});
export const PULLS = rows(12, (index) => pull(300 + index, `Change ${index} of the basket`));

export const changed = (number: number) =>
  rows(2 + (number % 4), (index) => ({
    sha: hash(index),
    filename: index === 0 && number % 3 === 0 ? "db/migrations/0042.sql" : `src/basket/part-${index}.ts`,
    status: "modified",
    additions: 10 + number - 300 + index,
    deletions: 4 + index,
    changes: 14 + number - 300 + 2 * index,
    patch:
      "@@ -1,7 +1,9 @@\n export function total(items) {\n-  return sum(items);\n+  return round(sum(items));\n }",
  }));

const commit = (index: number) => ({
  hash: hash(index),
  shortHash: hash(index, 7),
  author: ["Mara Lind", "Jonas Falk", "Ines Prado"][index % 3]!,
  authorEmail: `${["mara", "jonas", "ines"][index % 3]}@acme.example`,
  timestamp: 1_790_000_000 - index * 7_200,
  subject: `fix(${AREAS[index % 4]}): the total is rounded once (${index})`,
  parents: [hash(index + 1)],
  refs: [],
});
export const LOG = { success: true, commits: rows(80, commit), totalCount: 80 };

const lintFile = (index: number) => ({
  filePath: `/home/me/shop/src/part-${index}.ts`,
  messages: rows(index % 4, (line) => ({
    ruleId: line === 0 ? "no-unused-vars" : "eqeqeq",
    severity: line === 0 ? 2 : 1,
    message:
      line === 0 ? "'total' is assigned a value but never used." : "Expected '===' and instead saw '=='.",
    line: 10 + line,
    column: 7,
    endLine: 10 + line,
    endColumn: 12,
  })),
});
export const LINTED = rows(24, lintFile);

export const BRANCHES = {
  success: true,
  mode: "list",
  branches: rows(40, (index) => ({
    name: index === 0 ? "main" : `feature/${AREAS[index % 4]}-${index}`,
    current: index === 0,
    commitHash: hash(index),
    upstream: `origin/feature-${index}`,
    ahead: index % 3,
    behind: (index * 7) % 60,
  })),
  currentBranch: "main",
};

const SLUGS = ["shop", "mail", "site", "jobs", "docs"];
export const FOLLOWED = SLUGS.map(
  (slug, index) => `${index + 1}. ${slug} (projectSlug: gh/acme/${slug})`,
).join("\n");

export const BUILD_LOG = [
  ...rows(
    120,
    (line) => `[test] ok ${line + 1} basket keeps item ${line + 1} after a reload (${line % 9} ms)`,
  ),
  "[test] not ok 121 total is rounded once",
  "[test] Error: expected 10.1 to be 10.10",
  ...rows(20, (line) => `[test]     at step (src/test/runner.ts:${line + 40}:11)`),
].join("\n");

export const CHECKS = rows(6, (index) => ({
  url: `https://api.github.example/repos/acme/shop/statuses/${hash(300)}`,
  state: "success",
  description: `Job ${index} passed`,
  target_url: `https://ci.example/acme/shop/${index}`,
  context: `ci/job-${index}`,
  created_at: "2026-10-01T09:00:00Z",
  updated_at: "2026-10-01T09:10:00Z",
}));

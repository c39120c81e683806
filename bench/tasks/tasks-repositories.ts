/** Tasks with code hosts, git, builds and linters. */
import {
  BRANCHES,
  BUILD_LOG,
  changed,
  CHECKS,
  FOLLOWED,
  issue,
  ISSUES,
  LINTED,
  LOG,
  PULLS,
  repository,
  STALE,
  user,
} from "./repository-answers.ts";
import { both, hash, json, text, type Task } from "./task.ts";

export const REPOSITORY_TASKS: readonly Task[] = [
  {
    id: "issue-open",
    kind: "one",
    intent: "File a bug: the voucher field on the checkout page ignores lower case.",
    queries: ["create an issue in a GitHub repository"],
    calls: [
      {
        server: "github",
        tool: "create_issue",
        args: { ...repository, title: "The voucher field ignores lower case", labels: ["bug"] },
        answer: json({ ...issue(77), title: "The voucher field ignores lower case", body: null }),
      },
    ],
    code: `const issue = await mcp.github.create_issue({ owner: "acme", repo: "shop", title: "The voucher field ignores lower case", labels: ["bug"] }) as any;
return { number: issue.number };`,
    result: { number: 177 },
  },
  {
    id: "merge-request",
    kind: "one",
    intent: "Open a merge request for the rounding branch in GitLab project 4711.",
    queries: ["create a merge request in GitLab"],
    calls: [
      {
        server: "gitlab",
        tool: "create_merge_request",
        args: { project_id: "4711", title: "Round once", source_branch: "rounding", target_branch: "main" },
        answer: json({
          id: 901,
          iid: 58,
          project_id: 4711,
          title: "Round once",
          state: "opened",
          merged: false,
          web_url: "https://gitlab.example/acme/shop/-/merge_requests/58",
          source_branch: "rounding",
          target_branch: "main",
          created_at: "2026-10-02T08:00:00Z",
        }),
      },
    ],
    code: `const made = await mcp.gitlab.create_merge_request({ project_id: "4711", title: "Round once", source_branch: "rounding", target_branch: "main" }) as any;
return made.web_url;`,
    result: "https://gitlab.example/acme/shop/-/merge_requests/58",
  },
  {
    id: "working-tree",
    kind: "one",
    intent: "Is there anything in my working tree that is not committed?",
    queries: ["git status of the working tree"],
    calls: [
      {
        server: "git",
        tool: "git_status",
        args: { path: "/home/me/shop" },
        answer: both({
          success: true,
          currentBranch: "rounding",
          upstream: "origin/rounding",
          ahead: 2,
          behind: 0,
          isClean: false,
          stagedChanges: { modified: ["src/total.ts"] },
          unstagedChanges: { modified: ["src/basket.ts", "src/mail.ts"] },
          untrackedFiles: ["notes.txt"],
          conflictedFiles: [],
        }),
      },
    ],
    code: `const status = await mcp.git.git_status({ path: "/home/me/shop" });
return { clean: status.isClean, staged: status.stagedChanges.modified, changed: status.unstagedChanges.modified, untracked: status.untrackedFiles };`,
    result: {
      clean: false,
      staged: ["src/total.ts"],
      changed: ["src/basket.ts", "src/mail.ts"],
      untracked: ["notes.txt"],
    },
  },
  {
    id: "fix-branch",
    kind: "sequence",
    intent: "Make a branch for issue 104 of acme/shop and say so in the issue.",
    queries: ["create a branch and comment on an issue", "add a comment to a GitHub issue"],
    inputs: { owner: "acme", repo: "shop", issue: 104 },
    calls: [
      {
        server: "github",
        tool: "get_issue",
        args: { ...repository, issue_number: 104 },
        answer: json(issue(4)),
      },
      {
        server: "github",
        tool: "create_branch",
        args: { ...repository, branch: "fix-104" },
        answer: json({
          ref: "refs/heads/fix-104",
          node_id: "REF_1",
          object: { sha: hash(9), type: "commit" },
        }),
      },
      {
        server: "github",
        tool: "add_issue_comment",
        args: { ...repository, issue_number: 104, body: "Work on this goes on in fix-104." },
        answer: json({
          id: 551,
          html_url: "https://github.example/acme/shop/issues/104#c551",
          user: user("mara"),
        }),
      },
    ],
    code: `const { owner, repo } = args;
const issue = await mcp.github.get_issue({ owner, repo, issue_number: args.issue }) as any;
const branch = \`fix-\${issue.number}\`;
await mcp.github.create_branch({ owner, repo, branch });
const comment = await mcp.github.add_issue_comment({ owner, repo, issue_number: issue.number, body: \`Work on this goes on in \${branch}.\` }) as any;
return { branch, comment: comment.id };`,
    result: { branch: "fix-104", comment: 551 },
  },
  {
    id: "merge-when-green",
    kind: "sequence",
    intent: "Merge pull request 300 of acme/shop if its checks passed.",
    queries: ["check the status of a pull request and merge it"],
    inputs: { owner: "acme", repo: "shop", pull: 300 },
    calls: [
      {
        server: "github",
        tool: "get_pull_request_status",
        args: { ...repository, pull_number: 300 },
        answer: json({
          state: "success",
          statuses: CHECKS,
          sha: hash(300),
          total_count: 6,
        }),
      },
      {
        server: "github",
        tool: "merge_pull_request",
        args: { ...repository, pull_number: 300, merge_method: "squash" },
        answer: json({ sha: hash(3), merged: true, message: "Pull Request successfully merged" }),
      },
    ],
    code: `const { owner, repo, pull } = args;
const status = await mcp.github.get_pull_request_status({ owner, repo, pull_number: pull }) as any;
if (status.state !== "success") return { merged: false, state: status.state };
const merge = await mcp.github.merge_pull_request({ owner, repo, pull_number: pull, merge_method: "squash" }) as any;
return { merged: merge.merged };`,
    result: { merged: true },
  },
  {
    id: "broken-build",
    kind: "sequence",
    intent: "Why is the newest build of the shop on main red? Give the first error line.",
    queries: ["latest CI pipeline status and the logs of a failed build"],
    calls: [
      {
        server: "circleci",
        tool: "list_followed_projects",
        args: { params: {} },
        answer: text(FOLLOWED),
      },
      {
        server: "circleci",
        tool: "get_build_failure_logs",
        args: { params: { projectSlug: "gh/acme/shop", branch: "main" } },
        answer: text(BUILD_LOG),
      },
    ],
    code: `const projects = String(await mcp.circleci.list_followed_projects({ params: {} }));
const projectSlug = /projectSlug: (\\S+shop)\\)/.exec(projects)![1];
const log = String(await mcp.circleci.get_build_failure_logs({ params: { projectSlug, branch: "main" } }));
return log.split("\\n").find((line) => line.includes("Error"));`,
    result: "[test] Error: expected 10.1 to be 10.10",
  },
  {
    id: "stale-issues",
    kind: "loop",
    intent: "Label every open issue of acme/shop stale that was not updated since June.",
    queries: ["list open issues and add labels to them", "update labels of an issue"],
    inputs: { owner: "acme", repo: "shop", before: "2026-06-01" },
    calls: [
      {
        server: "github",
        tool: "list_issues",
        args: { ...repository, state: "open", per_page: 100 },
        answer: json(ISSUES),
      },
      ...STALE.map((stale) => ({
        server: "github",
        tool: "update_issue",
        args: { ...repository, issue_number: stale.number, labels: ["stale"] },
        answer: json({ ...stale, labels: [{ id: 9, name: "stale", color: "cccccc" }] }),
      })),
    ],
    code: `const { owner, repo } = args;
const issues = await mcp.github.list_issues({ owner, repo, state: "open", per_page: 100 }) as any[];
const stale = issues.filter((issue) => issue.updated_at < args.before);
await Promise.all(stale.map((issue) => mcp.github.update_issue({ owner, repo, issue_number: issue.number, labels: ["stale"] })));
return { open: issues.length, stale: stale.length };`,
    result: { open: 30, stale: STALE.length },
  },
  {
    id: "migrations-in-pulls",
    kind: "loop",
    intent: "Which open pull requests of acme/shop touch a database migration?",
    queries: ["list open pull requests and the files that they change"],
    inputs: { owner: "acme", repo: "shop" },
    calls: [
      {
        server: "github",
        tool: "list_pull_requests",
        args: { ...repository, state: "open" },
        answer: json(PULLS),
      },
      ...PULLS.map(({ number }) => ({
        server: "github",
        tool: "get_pull_request_files",
        args: { ...repository, pull_number: number },
        answer: json(changed(number)),
      })),
    ],
    code: `const { owner, repo } = args;
const pulls = await mcp.github.list_pull_requests({ owner, repo, state: "open" }) as any[];
const files = await Promise.all(pulls.map((pull) => mcp.github.get_pull_request_files({ owner, repo, pull_number: pull.number }) as Promise<any[]>));
return pulls.filter((_, index) => files[index].some((file) => file.filename.startsWith("db/migrations/"))).map((pull) => pull.number);`,
    result: PULLS.map(({ number }) => number).filter((number) => number % 3 === 0),
  },
  {
    id: "commits-by-author",
    kind: "loop",
    intent: "Who made how many of the last 80 commits, and how far behind are our branches at most?",
    queries: ["git log of commits by author", "list git branches ahead and behind"],
    inputs: { path: "/home/me/shop" },
    calls: [
      { server: "git", tool: "git_log", args: { path: "/home/me/shop", maxCount: 80 }, answer: both(LOG) },
      {
        server: "git",
        tool: "git_branch",
        args: { path: "/home/me/shop", mode: "list" },
        answer: both(BRANCHES),
      },
    ],
    code: `const { path } = args;
const [log, list] = await Promise.all([mcp.git.git_log({ path, maxCount: 80 }), mcp.git.git_branch({ path, mode: "list" })]);
const commits: Record<string, number> = {};
for (const { author = "" } of log.commits) commits[author] = (commits[author] ?? 0) + 1;
return { commits, behind: Math.max(...list.branches!.map((branch) => branch.behind ?? 0)) };`,
    result: { commits: { "Mara Lind": 27, "Jonas Falk": 27, "Ines Prado": 26 }, behind: 59 },
  },
  {
    id: "lint-rules",
    kind: "loop",
    intent: "Lint the 24 parts of the shop and count the problems by rule.",
    queries: ["lint files with ESLint"],
    calls: [
      {
        server: "eslint",
        tool: "lint-files",
        args: { filePaths: LINTED.map(({ filePath }) => filePath) },
        answer: {
          content: [
            { type: "text", text: "Here are the results of running ESLint on the provided files:" },
            ...LINTED.map((file) => ({ type: "text", text: JSON.stringify(file) })),
            { type: "text", text: "If the user asked to fix any of these issues, apply the fixes." },
          ],
        },
      },
    ],
    code: `const filePaths = Array.from({ length: 24 }, (_, index) => \`/home/me/shop/src/part-\${index}.ts\`);
const blocks = await mcp.eslint.lint_files({ filePaths }) as any[];
const rules: Record<string, number> = {};
for (const { text } of blocks.slice(1, -1)) for (const { ruleId } of JSON.parse(text).messages) rules[ruleId] = (rules[ruleId] ?? 0) + 1;
return rules;`,
    result: { "no-unused-vars": 18, eqeqeq: 18 },
  },
];

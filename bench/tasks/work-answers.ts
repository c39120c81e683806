/** What chats, pages, notes and files answer to the tasks. */
import { compact, hash, rows, type Answer } from "./task.ts";

export const CHANNELS = {
  ok: true,
  channels: rows(30, (index) => ({
    id: `C0${index}`,
    name: index === 17 ? "releases" : `team-${index}`,
    is_channel: true,
    is_private: false,
    is_archived: index % 11 === 5,
    created: 1_700_000_000 + index,
    creator: "U01",
    topic: { value: `What team ${index} does`, creator: "U01", last_set: 0 },
    purpose: { value: "", creator: "", last_set: 0 },
    num_members: 4 + ((index * 7) % 60),
  })),
};

export const posted = (channel: string, words: string): Answer =>
  compact({
    ok: true,
    channel,
    ts: "1790000100.000200",
    message: {
      user: "U09",
      type: "message",
      ts: "1790000100.000200",
      bot_id: "B1",
      app_id: "A1",
      text: words,
      team: "T1",
    },
  });

export const MESSAGES = rows(60, (index) => ({
  user: `U0${index % 6}`,
  type: "message",
  ts: `179000${String(index).padStart(4, "0")}.000100`,
  client_msg_id: hash(index, 24),
  text:
    index % 9 === 4 ? `Deploy ${index} failed: the health check did not answer` : `Deploy ${index} is done`,
  team: "T1",
  reactions: index % 4 === 0 ? [{ name: "eyes", users: ["U01"], count: 1 }] : [],
}));

export const plain = (words: string) => ({
  type: "text",
  text: { content: words, link: null },
  annotations: {
    bold: false,
    italic: false,
    strikethrough: false,
    underline: false,
    code: false,
    color: "default",
  },
  plain_text: words,
  href: null,
});

export const page = (index: number) => ({
  object: "page",
  id: `page-${index}`,
  created_time: "2026-09-01T08:00:00.000Z",
  last_edited_time: `2026-10-0${1 + (index % 9)}T08:00:00.000Z`,
  created_by: { object: "user", id: "user-1" },
  archived: false,
  properties: {
    Name: { id: "title", type: "title", title: [plain(`Step ${index} of the move`)] },
    State: {
      id: "s",
      type: "status",
      status: { name: ["Open", "Doing", "Done"][index % 3]!, color: "blue" },
    },
    Hours: { id: "h", type: "number", number: 1 + (index % 5) },
  },
  url: `https://notion.example/page-${index}`,
});
export const PAGES = rows(40, page);

const entity = (index: number) => ({
  name: `Project ${index}`,
  entityType: "project",
  observations: [
    `Began in month ${1 + (index % 12)}`,
    index % 4 === 0 ? "is blocked by the new contract" : "goes on as planned",
  ],
});
export const GRAPH = {
  entities: rows(50, entity),
  relations: rows(40, (index) => ({
    from: `Project ${index}`,
    to: `Project ${index + 1}`,
    relationType: "needs",
  })),
};

export const NOTES = rows(16, (index) => `/home/me/notes/week-${String(index + 1).padStart(2, "0")}.md`);
export const note = (index: number): string =>
  [
    `# Week ${index + 1}`,
    "",
    ...rows(
      18,
      (line) =>
        `- [${(line + index) % 5 === 0 ? " " : "x"}] Point ${line} of week ${index + 1}: ask, write down, send round`,
    ),
  ].join("\n");
export const OPEN_POINTS = rows(16, (index) => note(index).split("- [ ]").length - 1).reduce(
  (total, count) => total + count,
  0,
);

export const FRAME = [
  "metadata:",
  "  name: Checkout",
  "  lastModified: 2026-09-30T10:00:00Z",
  "nodes:",
  ...rows(
    60,
    (index) =>
      `  - id: 1:${index}\n    name: ${index === 12 ? "Pay button" : `Layer ${index}`}\n    type: FRAME\n    fills: fill_${index % 6}\n    layout: layout_${index % 9}`,
  ),
].join("\n");

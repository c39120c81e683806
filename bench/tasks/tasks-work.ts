/** Tasks with chats, pages, notes, files and drawings. */
import { both, compact, content, text, type Task } from "./task.ts";
import {
  CHANNELS,
  FRAME,
  GRAPH,
  MESSAGES,
  note,
  NOTES,
  OPEN_POINTS,
  page,
  PAGES,
  plain,
  posted,
} from "./work-answers.ts";

export const WORK_TASKS: readonly Task[] = [
  {
    id: "tell-channel",
    kind: "one",
    intent: "Tell channel C042 that the shop is back.",
    queries: ["post a message to a Slack channel"],
    calls: [
      {
        server: "slack",
        tool: "slack_post_message",
        args: { channel_id: "C042", text: "The shop is back." },
        answer: posted("C042", "The shop is back."),
      },
    ],
    code: `const sent = await mcp.slack.slack_post_message({ channel_id: "C042", text: "The shop is back." }) as any;
return sent.ts;`,
    result: "1790000100.000200",
  },
  {
    id: "read-settings",
    kind: "one",
    intent: "Which port does /home/me/shop/settings.json name?",
    queries: ["read a text file"],
    calls: [
      {
        server: "files",
        tool: "read_text_file",
        args: { path: "/home/me/shop/settings.json" },
        answer: content('{\n  "port": 8443,\n  "host": "127.0.0.1",\n  "log": "info"\n}\n'),
      },
    ],
    code: `const { content } = await mcp.files.read_text_file({ path: "/home/me/shop/settings.json" });
return JSON.parse(content).port;`,
    result: 8443,
  },
  {
    id: "remember",
    kind: "one",
    intent: "Remember that project 7 ended in October.",
    queries: ["add an observation to the knowledge graph"],
    calls: [
      {
        server: "memory",
        tool: "add_observations",
        args: { observations: [{ entityName: "Project 7", contents: ["ended in October 2026"] }] },
        answer: both({
          results: [{ entityName: "Project 7", addedObservations: ["ended in October 2026"] }],
        }),
      },
    ],
    code: `const { results } = await mcp.memory.add_observations({ observations: [{ entityName: "Project 7", contents: ["ended in October 2026"] }] });
return results[0].addedObservations.length;`,
    result: 1,
  },
  {
    id: "announce-release",
    kind: "sequence",
    intent: "Announce version 4.2 in our releases channel.",
    queries: ["find a Slack channel by name and post a message"],
    inputs: { channel: "releases", version: "4.2" },
    calls: [
      { server: "slack", tool: "slack_list_channels", args: { limit: 200 }, answer: compact(CHANNELS) },
      {
        server: "slack",
        tool: "slack_post_message",
        args: { channel_id: "C017", text: "Version 4.2 is out." },
        answer: posted("C017", "Version 4.2 is out."),
      },
    ],
    code: `const { channels } = await mcp.slack.slack_list_channels({ limit: 200 }) as any;
const { id } = channels.find((channel: any) => channel.name === args.channel);
const sent = await mcp.slack.slack_post_message({ channel_id: id, text: \`Version \${args.version} is out.\` }) as any;
return { channel: id, ts: sent.ts };`,
    result: { channel: "C017", ts: "1790000100.000200" },
  },
  {
    id: "comment-page",
    kind: "sequence",
    intent: "Find the Notion page about the move's step 3 and comment that it is done.",
    queries: ["search Notion pages and comment on one", "create a comment on a page"],
    inputs: { title: "Step 3 of the move", comment: "This is done." },
    calls: [
      {
        server: "notion",
        tool: "API-post-search",
        args: { query: "Step 3 of the move", page_size: 3 },
        answer: compact({
          object: "list",
          results: [page(3), page(30), page(13)],
          next_cursor: null,
          has_more: false,
          type: "page_or_database",
        }),
      },
      {
        server: "notion",
        tool: "API-create-a-comment",
        args: { parent: { page_id: "page-3" }, rich_text: [{ text: { content: "This is done." } }] },
        answer: compact({
          object: "comment",
          id: "comment-1",
          parent: { type: "page_id", page_id: "page-3" },
          discussion_id: "d1",
          created_time: "2026-10-02T08:00:00.000Z",
          rich_text: [plain("This is done.")],
        }),
      },
    ],
    code: `const { results } = await mcp.notion["API-post-search"]({ query: args.title, page_size: 3 }) as any;
const page = results.find((one: any) => one.properties.Name.title[0].plain_text === args.title);
const comment = await mcp.notion["API-create-a-comment"]({ parent: { page_id: page.id }, rich_text: [{ text: { content: args.comment } }] }) as any;
return { page: page.id, comment: comment.id };`,
    result: { page: "page-3", comment: "comment-1" },
  },
  {
    id: "file-summary",
    kind: "sequence",
    intent: "Put the size of the log in /home/me/shop into size.txt beside it.",
    queries: ["get file size and write a file"],
    inputs: { folder: "/home/me/shop" },
    calls: [
      {
        server: "files",
        tool: "get_file_info",
        args: { path: "/home/me/shop/shop.log" },
        answer: content(
          "size: 884213\ncreated: Thu Oct 01 2026 08:00:00 GMT+0000\nmodified: Fri Oct 02 2026 09:12:44 GMT+0000\naccessed: Fri Oct 02 2026 09:12:44 GMT+0000\nisDirectory: false\nisFile: true\npermissions: 644",
        ),
      },
      {
        server: "files",
        tool: "write_file",
        args: { path: "/home/me/shop/size.txt", content: "884213\n" },
        answer: content("Successfully wrote to /home/me/shop/size.txt"),
      },
    ],
    code: `const { content } = await mcp.files.get_file_info({ path: \`\${args.folder}/shop.log\` });
const size = /size: (\\d+)/.exec(content)![1];
await mcp.files.write_file({ path: \`\${args.folder}/size.txt\`, content: \`\${size}\\n\` });
return Number(size);`,
    result: 884_213,
  },
  {
    id: "hours-left",
    kind: "loop",
    intent: "How many hours of work are left in the Notion table of the move?",
    queries: ["query a Notion database for its pages"],
    inputs: { data_source_id: "source-1" },
    calls: [
      {
        server: "notion",
        tool: "API-query-data-source",
        args: { data_source_id: "source-1", page_size: 100 },
        answer: compact({
          object: "list",
          results: PAGES,
          next_cursor: null,
          has_more: false,
          type: "page_or_data_source",
        }),
      },
    ],
    code: `const { results } = await mcp.notion["API-query-data-source"]({ data_source_id: args.data_source_id, page_size: 100 }) as any;
return results.filter((page: any) => page.properties.State.status.name !== "Done").reduce((hours: number, page: any) => hours + page.properties.Hours.number, 0);`,
    result: PAGES.filter(({ properties }) => properties.State.status.name !== "Done").reduce(
      (hours, { properties }) => hours + properties.Hours.number,
      0,
    ),
  },
  {
    id: "open-points",
    kind: "loop",
    intent: "How many points are still open in my weekly notes?",
    queries: ["list a directory and read many files"],
    inputs: { folder: "/home/me/notes" },
    calls: [
      {
        server: "files",
        tool: "list_directory",
        args: { path: "/home/me/notes" },
        answer: content(NOTES.map((path) => `[FILE] ${path.split("/").at(-1)}`).join("\n")),
      },
      ...NOTES.map((path, index) => ({
        server: "files",
        tool: "read_text_file",
        args: { path },
        answer: content(note(index)),
      })),
    ],
    code: `const { content } = await mcp.files.list_directory({ path: args.folder });
const names = content.split("\\n").map((line) => line.replace("[FILE] ", ""));
const notes = await Promise.all(names.map((name) => mcp.files.read_text_file({ path: \`\${args.folder}/\${name}\` })));
return notes.reduce((open, note) => open + note.content.split("- [ ]").length - 1, 0);`,
    result: OPEN_POINTS,
  },
  {
    id: "failed-deploys",
    kind: "sequence",
    intent:
      "How many of the last 60 messages in our releases channel say that a deploy failed? Answer in the thread of the first.",
    queries: ["read the history of a Slack channel and reply to a thread"],
    calls: [
      {
        server: "slack",
        tool: "slack_get_channel_history",
        args: { channel_id: "C017", limit: 60 },
        answer: compact({ ok: true, messages: MESSAGES, has_more: true, pin_count: 0 }),
      },
      {
        server: "slack",
        tool: "slack_reply_to_thread",
        args: { channel_id: "C017", thread_ts: MESSAGES[4]!.ts, text: "7 deploys failed so far." },
        answer: posted("C017", "7 deploys failed so far."),
      },
    ],
    code: `const { messages } = await mcp.slack.slack_get_channel_history({ channel_id: "C017", limit: 60 }) as any;
const failed = messages.filter((message: any) => message.text.includes("failed"));
await mcp.slack.slack_reply_to_thread({ channel_id: "C017", thread_ts: failed[0].ts, text: \`\${failed.length} deploys failed so far.\` });
return failed.length;`,
    result: 7,
  },
  {
    id: "blocked-projects",
    kind: "loop",
    intent: "Which projects in memory are blocked?",
    queries: ["search the knowledge graph in memory"],
    calls: [{ server: "memory", tool: "search_nodes", args: { query: "project" }, answer: both(GRAPH) }],
    code: `const { entities } = await mcp.memory.search_nodes({ query: "project" });
return entities.filter(({ observations }) => observations.some((line) => line.includes("blocked"))).map(({ name }) => name);`,
    result: GRAPH.entities.filter((_, index) => index % 4 === 0).map(({ name }) => name),
  },
  {
    id: "find-layer",
    kind: "one",
    intent: "What is the node id of the pay button in Figma file k4aB9?",
    queries: ["get the layout of a Figma file"],
    calls: [{ server: "figma", tool: "get_figma_data", args: { fileKey: "k4aB9" }, answer: text(FRAME) }],
    code: `const yaml = String(await mcp.figma.get_figma_data({ fileKey: "k4aB9" }));
return /id: (\\S+)\\n\\s+name: Pay button/.exec(yaml)![1];`,
    result: "1:12",
  },
];

/** Every field of an entry and of a manifest with a value of every other kind: read or refused, and never more than that. */
import { describe, expect, it } from "vitest";
import { chooseLaunch } from "../../../published/choose-launch.ts";
import { launchBundle } from "../../../published/bundle/manifest-launch.ts";
import { readManifest } from "../../../published/bundle/manifest.ts";
import { openArchive } from "../../../published/bundle/archive.ts";
import type { Launch } from "../../../published/launch.ts";
import { findTextProblem } from "../../../published/package-launch.ts";
import { readPublishedServer } from "../../../published/server-json.ts";
import { zipOf } from "../../../../test/fixtures/zip-file.ts";
import { fillLaunch } from "./filled-entry.ts";

const INPUT = {
  description: "A text",
  isRequired: true,
  isSecret: false,
  format: "string",
  default: "x",
  choices: ["x", "y"],
  placeholder: "p",
};
const VARIABLE = { name: "NAME", value: "{a}", variables: { a: INPUT } };
const ENTRY = {
  server: {
    name: "io.github.acme/notes",
    title: "Notes",
    description: "Keeps notes.",
    version: "1.0.0",
    packages: [
      {
        registryType: "npm",
        registryBaseUrl: "https://registry.npmjs.org",
        identifier: "@acme/notes",
        version: "1.0.0",
        fileSha256: "a".repeat(64),
        runtimeHint: "npx",
        transport: { type: "stdio" },
        runtimeArguments: [{ type: "named", name: "-y" }],
        packageArguments: [
          { type: "positional", valueHint: "folder", isRepeated: true, ...INPUT },
          { type: "named", ...VARIABLE },
        ],
        environmentVariables: [VARIABLE],
      },
    ],
    remotes: [{ type: "sse", url: "https://{a}.example", headers: [VARIABLE], variables: { a: INPUT } }],
  },
  _meta: { "io.modelcontextprotocol.registry/official": { status: "active", statusMessage: "m" } },
};

const MANIFEST = {
  manifest_version: "0.4",
  name: "notes",
  version: "1.0.0",
  description: "d",
  server: {
    type: "node",
    entry_point: "index.js",
    mcp_config: {
      command: "node",
      args: ["${__dirname}/index.js", "${user_config.a}"],
      env: { A: "${user_config.a}" },
      platform_overrides: { [process.platform]: { command: "node", args: ["x"], env: { B: "y" } } },
    },
  },
  compatibility: { platforms: [process.platform], runtimes: { node: ">=18" } },
  user_config: {
    a: {
      type: "string",
      title: "t",
      description: "d",
      required: true,
      default: "x",
      multiple: true,
      min: 0,
      max: 1,
    },
  },
};

const deep = JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`) as unknown;
const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1e308,
  "",
  "$",
  "${HOME}",
  "__proto__",
  "x".repeat(5000),
  [],
  [{}],
  {},
  deep,
];

/** Each copy has one odd value in the place of one that is right, or lacks it. */
function* spoiled(value: unknown): Generator {
  yield* ODD;
  yield undefined;
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    for (const odd of spoiled(child)) {
      const copy = structuredClone(value) as Record<string, unknown>;
      copy[key] = odd;
      yield copy;
    }
  }
}

/** What comes out of it is words, each of them a text. */
function expectWords(launch: Launch): void {
  if (findTextProblem(launch) !== undefined) return;
  const { entry } = fillLaunch(launch, new Map(), { serverId: "notes", isTaken: () => false });
  const { command, args, url, env = {}, headers = {} } = entry as Record<string, unknown>;
  const words = [
    command ?? url,
    ...((args ?? []) as unknown[]),
    ...Object.values({ ...(env as object), ...(headers as object) }),
  ];
  expect(words.filter((word) => typeof word !== "string")).toEqual([]);
  // A reference that the publisher wrote would be filled in with something of this machine.
  const written = words
    .join("\n")
    .replaceAll("$${", "")
    .replaceAll(/\$\{input:notes-[\w.-]+\}/g, "");
  expect(written).not.toContain("${");
}

describe("T166: an odd value in a field", () => {
  it("of a server.json", () => {
    let readCount = 0;
    for (const entry of spoiled(ENTRY)) {
      const server = readPublishedServer(entry);
      if (server === undefined) continue;
      readCount++;
      for (const kind of ["npm", "remote", undefined] as const) {
        const chosen = chooseLaunch(server, kind);
        if (chosen.success && "launch" in chosen.data) expectWords(chosen.data.launch);
      }
    }
    expect(readPublishedServer(ENTRY)).toBeDefined();
    expect(readCount).toBeGreaterThan(100);
  });

  it("of a manifest", async () => {
    const files = [{ name: "index.js", content: "x" }];
    const opened = await openArchive(zipOf(files));
    if (!opened.success) throw new Error(opened.error.message);
    let readCount = 0;
    for (const manifest of spoiled(MANIFEST)) {
      const content = Buffer.from(JSON.stringify(manifest) ?? "");
      const archive = { ...opened.data, read: async () => ({ success: true as const, data: content }) };
      const read = await readManifest(archive);
      const started = read.success ? launchBundle(read.data, archive, "/bundles/notes") : undefined;
      if (started?.success !== true) continue;
      readCount++;
      expectWords(started.data.launch);
    }
    expect(readCount).toBeGreaterThan(50);
  });
});

/** `repertoire add FILE.mcpb`: unpacked, held, approved, called; refused whole where anything is wrong with it. */
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  mkdirSync,
  renameSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleOf, BUNDLE_SERVER, manifestOf, sha256Of } from "./fixtures/bundle.ts";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { runCli } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { zipOf, type ZipEntry } from "./fixtures/zip-file.ts";

const OFF = { REPERTOIRE_KEYRING: "off" };

interface Entry {
  readonly command: string;
  readonly args: string[];
  readonly env?: Record<string, string>;
  readonly trust: string;
  readonly installed: Record<string, string>;
}

function openPlace(bundle: Buffer = bundleOf()) {
  const folder = temporaryFolder();
  const file = join(folder, "notes.mcpb");
  writeFileSync(file, bundle);
  const config = join(folder, "mine.json");
  writeFileSync(config, "{}");
  const cli = (...words: string[]) =>
    runCliHere([words[0]!, "--config", config, ...words.slice(1)], { folder, env: OFF });
  const read = () => JSON.parse(readFileSync(config, "utf8")) as { mcpServers?: Record<string, Entry> };
  const bundles = join(folder, "home/bundles");
  return { folder, file, config, cli, read, bundles, entry: () => read().mcpServers!["notes"]! };
}

async function installed(bundle?: Buffer, ...words: string[]) {
  const place = openPlace(bundle);
  const added = await place.cli("add", place.file, "--yes", ...words);
  expect([added.status, added.stderr]).toEqual([0, expect.stringContaining("added notes")]);
  return { ...place, added };
}

/** What the server says that it was started with. */
async function settingsOf({ cli }: Pick<ReturnType<typeof openPlace>, "cli">) {
  await cli("servers", "notes", "--check");
  expect((await cli("approve", "notes", "--yes")).status).toBe(0);
  const called = await cli("call", "notes__settings", "--json");
  const { content } = JSON.parse(called.stdout) as { content: [{ text: string }] };
  return JSON.parse(content[0].text) as { args: string[]; env: Record<string, string> };
}

describe("a bundle", () => {
  it("is shown in full, unpacked under its hash, and held until a person approves it", async () => {
    const bundle = bundleOf();
    const { added, cli, entry, bundles } = await installed(bundle);
    const hash = sha256Of(bundle);
    const place = `notes/${hash.slice(0, 16)}`;
    const index = join(bundles, place, "files/server/index.mjs");
    expect(added.stderr).toContain(`starts    ${JSON.stringify(process.execPath)} ${JSON.stringify(index)}`);
    expect(added.stderr).toContain(`sha256    ${hash}`);
    expect(added.stderr).toContain("signature none");
    expect(added.stderr).toContain("repertoire approve notes");
    expect(entry()).toEqual({
      command: process.execPath,
      args: [index],
      trust: "ask",
      installed: {
        name: "notes",
        version: "1.2.0",
        sha256: hash,
        bundle: place,
        files: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    });
    expect(readFileSync(index, "utf8")).toBe(BUNDLE_SERVER);
    expect([statSync(index).mode & 0o777, statSync(bundles).mode & 0o777]).toEqual([0o600, 0o700]);
    const held = await cli("call", "notes__settings");
    expect([held.status, held.stderr]).toEqual([6, expect.stringContaining("held")]);
    expect((await cli("inbox", "--json")).stdout).toContain("settings");
    expect(await settingsOf({ cli })).toEqual({ args: [], env: {} });
  });

  it("gets what it asks for: defaults, places, lists and choices; a secret is never in the config", async () => {
    const manifest = manifestOf({
      server: {
        type: "node",
        entry_point: "server/index.mjs",
        mcp_config: {
          command: "node",
          args: [
            "${__dirname}/server/index.mjs",
            "${user_config.folders}",
            "--size=${user_config.size}",
            "${user_config.none}",
          ],
          env: {
            NOTES_KEY: "${user_config.key}",
            NOTES_MODE: "${user_config.fast}",
            NOTES_HOME: "${HOME}${/}notes",
            NOTES_TEXT: "${OTHER} ${input:other} $(id)",
            NOTES_NONE: "${user_config.none}",
          },
        },
      },
      user_config: {
        folders: {
          type: "directory",
          title: "Folders",
          description: "Where notes are",
          multiple: true,
          required: true,
        },
        size: { type: "number", title: "Size", description: "", default: 5, min: 1, max: 9 },
        fast: { type: "boolean", title: "Fast", description: "", default: false },
        none: { type: "string", title: "None", description: "" },
        key: { type: "string", title: "Key", description: "", sensitive: true, required: true },
      },
    });
    const { cli, entry, added, folder, config } = await installed(
      bundleOf(manifest),
      "--input",
      "folders=/tmp/a",
      "--input",
      "folders=b",
      "--input=fast=true",
      "--allow=shell",
    );
    expect(added.stderr).toContain('"NOTES_TEXT=$${OTHER} $${input:other} $(id)" is written for a shell');
    expect(added.stderr).toContain("repertoire input set notes-key");
    expect(entry().args.slice(1)).toEqual(["/tmp/a", join(folder, "b"), "--size=5"]);
    expect(entry().env).toMatchObject({ NOTES_KEY: "${input:notes-key}", NOTES_MODE: "true" });
    const set = await runCliHere(["input", "set", "notes-key", "--config", config], {
      folder,
      env: OFF,
      input: "s3cr3t-value",
    });
    expect(set.status).toBe(0);
    expect(readFileSync(config, "utf8")).not.toContain("s3cr3t");
    const told = await cli("servers", "notes", "--check");
    expect(told.stderr + told.stdout).not.toContain("needs_input");
    await cli("approve", "notes", "--yes");
    const { stdout } = await cli("call", "notes__settings");
    expect(stdout).toContain("$(id)");
    expect(stdout).toContain("${OTHER} ${input:other}");
    expect(stdout).toContain(`${folder}/notes`);
    expect(stdout).not.toContain("NOTES_NONE");
    // What it was given is taken out of its answer.
    expect(stdout).not.toContain("s3cr3t-value");
  });

  it.each([
    ["a value that is none of its kind", ["--input", "size=many"], "must be a number"],
    ["a number that is too large", ["--input", "size=10"], "must be 9 or less"],
    ["a secret as an argument", ["--input", "key=x"], "cannot be an argument"],
    ["what it does not ask for", ["--input", "sise=1"], "Did you mean size?"],
    ["two values for one", ["--input", "size=1", "--input", "size=2"], "is given twice"],
  ])("is not added with %s", async (_, words, said) => {
    const option = { title: "", description: "" };
    const manifest = manifestOf({
      server: {
        type: "node",
        entry_point: "server/index.mjs",
        mcp_config: { command: "node", args: ["${user_config.size}", "${user_config.key}"] },
      },
      user_config: {
        size: { ...option, type: "number", max: 9 },
        key: { ...option, type: "string", sensitive: true },
      },
    });
    const { cli, file, read, bundles } = openPlace(bundleOf(manifest));
    const { status, stderr } = await cli("add", file, "--yes", ...words);
    expect([status, stderr]).toEqual([2, expect.stringContaining(said)]);
    expect([read(), existsSync(bundles)]).toEqual([{}, false]);
  });

  it("is not added without a yes, and shown without being unpacked by --dry-run", async () => {
    const { cli, file, read, bundles } = openPlace();
    expect(await cli("add", file)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--yes") as string,
    });
    const dry = await cli("add", file, "--dry-run");
    expect([dry.status, dry.stdout]).toEqual([0, expect.stringContaining("+")]);
    expect(dry.stderr).toContain("would be added as notes");
    const json = JSON.parse((await cli("add", file, "--dry-run", "--json")).stdout) as object;
    expect(json).toMatchObject({ changed: false, server: "notes", refused: null });
    expect([read(), existsSync(bundles)]).toEqual([{}, false]);
  });

  it("T166: has a name and a version that look like variables, and are none", async () => {
    const manifest = manifestOf({ name: "notes ${HOME}", version: "${input:other}" });
    const { cli, file, read } = openPlace(bundleOf(manifest));
    expect((await cli("add", file, "--yes", "--as", "notes")).status).toBe(0);
    expect(read().mcpServers!["notes"]!.installed).toMatchObject({
      name: "notes $${HOME}",
      version: "$${input:other}",
    });
    expect((await cli("servers", "notes", "--check")).stdout).toMatch(/notes +ready/);
  });

  it("that a person signed is read, and the signature is said to be unchecked", async () => {
    const signature = Buffer.concat([
      Buffer.from("MCPB_SIG_V1"),
      Buffer.alloc(20, 1),
      Buffer.from("MCPB_SIG_END"),
    ]);
    const { added } = await installed(Buffer.concat([bundleOf(), signature]));
    expect(added.stderr).toContain("signature there is one, and it was not checked");
  });

  it("is for another platform or another Node, and is refused", async () => {
    for (const [compatibility, words] of [
      [{ platforms: ["amiga"] }, 'is made for "amiga"'],
      [{ runtimes: { node: ">=99" } }, 'asks for Node ">=99"'],
    ] as const) {
      const { cli, file, read } = openPlace(bundleOf(manifestOf({ compatibility })));
      expect(await cli("add", file, "--yes")).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(words) as string,
      });
      expect(read()).toEqual({});
    }
  });

  it("has its platform's command, and its program alone is executable", async () => {
    const manifest = manifestOf({
      server: {
        type: "binary",
        entry_point: "bin/notes",
        mcp_config: {
          command: "${__dirname}/bin/other",
          platform_overrides: { [process.platform]: { command: "${__dirname}/bin/notes", args: ["--here"] } },
        },
      },
    });
    const program = `#!/bin/sh\nexec "${process.execPath}" "$(dirname "$0")/../server/index.mjs" "$@"\n`;
    const place = await installed(
      bundleOf(manifest, [{ name: "bin/notes", content: program, mode: 0o104755 }]),
    );
    expect(statSync(place.entry().command).mode & 0o7777).toBe(0o700);
    expect((await settingsOf(place)).args).toEqual(["--here"]);
  });

  it("T166: starts a program of this machine only where that is allowed", async () => {
    const start = {
      type: "node",
      entry_point: "server/index.mjs",
      mcp_config: { command: "bash", args: ["-c", "id"] },
    };
    const { cli, file, read } = openPlace(bundleOf(manifestOf({ server: start })));
    const { status, stderr } = await cli("add", file, "--yes");
    expect(status).toBe(6);
    expect(stderr).toContain('"bash" is a program of this machine');
    expect(stderr).toContain("It starts a shell");
    expect(stderr).toContain("--allow reach --allow shell");
    expect(read()).toEqual({});
  });
});

describe("T163: the files of a bundle", () => {
  it.each<[what: string, change: (place: string, config: string) => void]>([
    ["is changed", (place) => writeFileSync(join(place, "files/server/index.mjs"), "process.exit()")],
    [
      "is made a link",
      (place) => {
        const path = join(place, "files/manifest.json");
        renameSync(path, join(place, "copy"));
        // A link with the same content could lead to other content later.
        symlinkSync(join(place, "copy"), path);
      },
    ],
    [
      "is changed with their list",
      (place) => {
        const list = join(place, "files.json");
        writeFileSync(list, readFileSync(list, "utf8").replace(/"[0-9a-f]{64}"/, `"${"0".repeat(64)}"`));
      },
    ],
    [
      "is not named by the config",
      (_, config) => {
        writeFileSync(config, readFileSync(config, "utf8").replace(/,\s*"files": "[0-9a-f]{64}"/, ""));
      },
    ],
  ])("keep their server from starting when one %s", async (_, change) => {
    const { bundles, entry, cli, config } = await installed();
    change(join(bundles, entry().installed["bundle"]!), config);
    const [view] = JSON.parse((await cli("servers", "--check", "--json")).stdout) as [
      { cause: string; error: string },
    ];
    expect(view).toMatchObject({
      cause: "bundle_changed",
      error: expect.stringContaining("is not what was added") as string,
    });
    expect((await cli("doctor", "--servers", "notes")).stdout).toContain("repertoire disable notes");
  });

  it("are unpacked once more by adding it again, and what the server wrote beside them changes nothing", async () => {
    const place = await installed();
    const { bundles, entry, cli, file } = place;
    const index = join(bundles, entry().installed["bundle"]!, "files/server/index.mjs");
    writeFileSync(join(index, "../cache.txt"), "its own");
    await settingsOf(place);
    writeFileSync(index, "process.exit()");
    expect((await cli("add", file, "--yes")).stderr).toContain("already exists");
    expect((await cli("add", file, "--yes", "--force")).status).toBe(0);
    expect(readFileSync(index, "utf8")).toBe(BUNDLE_SERVER);
    expect((await cli("call", "notes__settings")).status).toBe(0);
    expect(readdirSync(bundles)).toEqual(["notes"]);
  });

  it("are held again when another bundle takes the place of the first, whose files go", async () => {
    const place = await installed();
    const { bundles, entry, cli, file } = place;
    await settingsOf(place);
    const first = entry().installed["bundle"]!;
    writeFileSync(file, bundleOf(manifestOf({ version: "1.3.0" })));
    expect((await cli("add", file, "--yes", "--force")).status).toBe(0);
    expect([existsSync(join(bundles, first)), entry().installed["version"]]).toEqual([false, "1.3.0"]);
    const held = await cli("call", "notes__settings");
    expect([held.status, held.stderr]).toEqual([6, expect.stringContaining("held")]);
  });

  it("go with the server that used them last, and nothing else goes", async () => {
    const { bundles, cli, file, read, config } = await installed();
    expect((await cli("add", file, "--yes", "--as", "two")).status).toBe(0);
    expect((await cli("remove", "notes")).status).toBe(0);
    expect(readdirSync(bundles)).toEqual(["notes"]);
    const text = readFileSync(config, "utf8");
    writeFileSync(config, text.replace(/"bundle": "[^"]*"/, '"bundle": "../../mine"'));
    expect((await cli("remove", "two", "--dry-run")).status).toBe(0);
    writeFileSync(config, text);
    expect((await cli("remove", "two")).status).toBe(0);
    expect([read(), readdirSync(bundles)]).toEqual([expect.objectContaining({ mcpServers: {} }), []]);
  });
});

/** A hostile bundle is one of these beside what is honest. */
const beside = (...more: ZipEntry[]) => bundleOf(manifestOf(), more);

describe("T032: a bundle with", () => {
  it.each<[what: string, bundle: Buffer, words: string]>([
    ["a name that leads out", beside({ name: "../evil", content: "x" }), "refused"],
    ["a name that leads out later", beside({ name: "server/../../evil", content: "x" }), "refused"],
    ["an absolute name", beside({ name: "/tmp/evil", content: "x" }), "refused"],
    ["a drive", beside({ name: "C:/evil", content: "x" }), "refused"],
    ["a backslash", beside({ name: "..\\evil", content: "x" }), "refused"],
    ["a NUL in a name", beside({ name: "a\0b", content: "x" }), "refused"],
    ["a name of a device", beside({ name: "server/con.js", content: "x" }), "no name of a file"],
    ["a name that ends in a dot", beside({ name: "server/index.mjs.", content: "x" }), "no name of a file"],
    [
      "a stream of another file",
      beside({ name: "server/index.mjs:x", content: "x" }),
      "backslash or a colon",
    ],
    ["a link", beside({ name: "link", content: "/etc/passwd", mode: 0o120777 }), "is a link"],
    [
      "a link as a folder",
      beside({ name: "server/x/", content: "", mode: 0o120777, method: 0 }),
      "is a link",
    ],
    ["a device", beside({ name: "disk", mode: 0o060600 }), "is a link, a device"],
    ["a pipe", beside({ name: "pipe", mode: 0o010600 }), "is a link, a device"],
    ["the same name twice", beside({ name: "server/index.mjs", content: "x" }), "is there twice"],
    ["the same name in capitals", beside({ name: "Server/Index.mjs", content: "x" }), "refused"],
    [
      "the same name in other letters",
      beside({ name: "ﬁle", content: "x" }, { name: "file", content: "x" }),
      "is there twice",
    ],
    ["a file as a folder", beside({ name: "server/index.mjs/x", content: "x" }), "also something else"],
    ["a secret entry", beside({ name: "x", content: "x", flags: 1 }), "encrypted"],
    ["an unknown packing", beside({ name: "x", content: "x", method: 14 }), "not known"],
    [
      "a bomb",
      beside({ name: "x", content: Buffer.alloc(64 * 1024 * 1024) }),
      "more than 100 times its size",
    ],
    ["a size that is a lie", beside({ name: "x", content: "long enough to see", size: 1 }), "refused"],
    ["a size that is a lie upwards", beside({ name: "x", content: "x", size: 1000 }), "refused"],
    ["a size beyond all", beside({ name: "x", content: "x", size: 0xfffffffe }), "more than"],
    ["another checksum", beside({ name: "x", content: "x", crc: 1 }), "its checksum is another"],
    ["more entries than there are", zipOf([{ name: "manifest.json", content: "{}" }], 9), "refused"],
    ["no manifest", zipOf([{ name: "x", content: "x" }]), "it has no manifest.json"],
    ["a manifest that is none", zipOf([{ name: "manifest.json", content: "[]" }]), "not valid"],
    [
      "a manifest in megabytes",
      zipOf([{ name: "manifest.json", content: `"${"x".repeat(2_000_000)}"`, method: 0 }]),
      "1048576 bytes",
    ],
    [
      "an entry point elsewhere",
      bundleOf(manifestOf({ server: { type: "node", entry_point: "../x" } })),
      "its entry point",
    ],
    [
      "no entry point",
      bundleOf(manifestOf({ server: { type: "node", entry_point: "x.js" } })),
      "is not in it",
    ],
    ["another format", Buffer.from("no zip at all"), "refused"],
    ["nothing", Buffer.alloc(0), "refused"],
  ])("%s is refused, and nothing of it is left", async (_, bundle, words) => {
    const { folder, cli, file, read, bundles } = openPlace(bundle);
    const before = readdirSync(folder);
    const { status, stderr } = await cli("add", file, "--yes");
    expect([status, stderr]).toEqual([6, expect.stringContaining(words)]);
    expect(stderr).not.toContain("\0");
    expect(read()).toEqual({});
    expect(existsSync(bundles) ? readdirSync(bundles) : []).toEqual([]);
    expect(readdirSync(folder).filter((name) => !before.includes(name) && name !== "home")).toEqual([]);
  });

  it("a million entries is refused before they are read", async () => {
    const many = Array.from({ length: 60_000 }, (_, i): ZipEntry => ({ name: `f${i}`, method: 0 }));
    const { cli, file } = openPlace(zipOf(many));
    const { status, stderr } = await cli("add", file, "--yes");
    expect([status, stderr]).toEqual([6, expect.stringContaining("it has 60000 entries")]);
  });
});

it("T032: a process that dies before the entry is written leaves nothing half, and the next is whole", async () => {
  const { folder, file, config, read, bundles, cli } = openPlace();
  const env = { ...OFF, REPERTOIRE_CRASH_AT: "install.unpacked" };
  const died = runCli(["add", "--config", config, file, "--yes"], { folder, env });
  expect([died.status, read()]).toEqual([null, {}]);
  expect(readdirSync(bundles)).toEqual(["notes"]);
  // One that died while it unpacked.
  mkdirSync(join(bundles, ".staging-left/files"), { recursive: true });
  expect((await cli("add", file, "--yes")).status).toBe(0);
  expect(readdirSync(bundles)).toEqual(["notes"]);
  expect(await settingsOf({ cli })).toEqual({ args: [], env: {} });
});

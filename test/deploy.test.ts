/** What operators deploy: the files of deploy/ agree with each other and with the gateway. Nothing is started but checkers. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { createJsonSchema } from "../src/config/json-schema.ts";
import { openProbeOf } from "../src/server/http/operator-routes.ts";
import type { HttpCall } from "../src/server/http/http-call.ts";
import { problemsOfScript } from "./fixtures/docs/command-check.ts";
import {
  DEPLOY,
  parseManifests,
  readManifests,
  textOf,
  unknownFields,
  type Tree,
} from "./fixtures/manifests.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

/** What the gateway, or the entry of the image, reads; a name that nothing reads would be ignored without a word. */
const VARIABLES = [
  "REPERTOIRE_DATABASE_URL",
  "REPERTOIRE_DATABASE_URL_FILE",
  "REPERTOIRE_HOME",
  "REPERTOIRE_KEYRING",
  "REPERTOIRE_REPLICA_URL",
  "REPERTOIRE_SECRET_KEY",
  "REPERTOIRE_SECRET_KEY_FILE",
  "REPERTOIRE_SECRET_KEY_PREVIOUS",
  "REPERTOIRE_TOKEN",
  "REPERTOIRE_TOKEN_FILE",
];
const PORT = 8080;
const UID = 10_001;
/** How long the gateway takes at most for what is under way (docs/operating.md). */
const DRAIN_SECONDS = 10;

const read = (file: string) => readFileSync(join(DEPLOY, file), "utf8");
const files = globSync("**/*", { cwd: DEPLOY, exclude: (name) => name === "secrets" }).filter((file) =>
  statSync(join(DEPLOY, file)).isFile(),
);
const manifests = readManifests();
const { version } = JSON.parse(read("../package.json")) as { version: string };
const compose = manifests.find(({ file }) => file === "compose.yaml")!.value;
const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

function ofKind(kind: string): Tree[] {
  return manifests.filter(({ value }) => textOf(value["kind"]) === kind).map(({ value }) => value);
}

const deployment = ofKind("Deployment")[0]!;
const job = ofKind("Job")[0]!;
const podOf = (value: Tree) => value["spec"]!["template"]!["spec"]!;
const containerOf = (value: Tree) => podOf(value)["containers"]![0]!;

it("every file has a reader", () => {
  expect(files.length).toBeGreaterThan(15);
  const known = /\.(yaml|json|service|sh|cfg|md)$|Dockerfile/;
  expect(files.filter((file) => !known.test(file))).toEqual([]);
});

describe("fields", () => {
  it.each(manifests)("$file has no unknown ones", (manifest) => expect(unknownFields(manifest)).toEqual([]));

  it("a misspelt one is found, also deep inside", () => {
    const text = read("kustomize/base/deployment.yaml").replace(
      "readOnlyRootFilesystem",
      "readOnlyRootFileSystem",
    );
    const found = unknownFields(parseManifests("deployment.yaml", text)[0]!);
    expect(found).toEqual([
      "deployment.yaml.spec.template.spec.containers[0].securityContext.readOnlyRootFileSystem",
    ]);
  });
});

it("variables are those that the gateway or the image's entry reads", () => {
  const used = files
    .filter((file) => !file.endsWith(".md"))
    .flatMap((file) => [...read(file).matchAll(/REPERTOIRE_[A-Z_]+/g)].map(([name]) => name));
  expect([...new Set(used)].sort()).toEqual(VARIABLES);
  const source = globSync("src/**/*.ts", {
    cwd: join(DEPLOY, ".."),
    exclude: (name) => name.endsWith(".test.ts"),
  })
    .map((file) => read(join("..", file)))
    .join("\n");
  const entry = read("entrypoint.sh");
  const isRead = (name: string) =>
    entry.includes(`"$${name}"`) ||
    source.includes(`"${name}"`) ||
    source.includes(`"${name.replace(/_FILE$/, "")}"`);
  expect(VARIABLES.filter((name) => !isRead(name))).toEqual([]);
});

describe("the image", () => {
  const dockerfile = read("Dockerfile");
  const ignored = read("Dockerfile.dockerignore").split("\n");

  it("runs as a number that is not root, with the base as an argument", () => {
    expect(dockerfile).toMatch(/^ARG BASE=node:24-bookworm-slim$/m);
    expect(dockerfile.match(/^FROM .*$/gm)).toEqual(["FROM ${BASE} AS build", "FROM ${BASE}"]);
    expect(dockerfile.match(/^USER .*$/gm)).toEqual([`USER ${UID}:${UID}`]);
    expect(dockerfile).toContain(`ARG VERSION=${version}\n`);
  });

  it("gets every file that the package has", () => {
    const { files: packed } = JSON.parse(read("../package.json")) as { files: string[] };
    const wanted = packed.map((path) => path.split("/")[0]!).filter((path) => path !== "dist");
    const isLetIn = (path: string) =>
      ignored.includes(`!${path}`) || (path.endsWith(".md") && ignored.includes("!*.md"));
    expect(wanted.filter((path) => !isLetIn(path))).toEqual([]);
    for (const [, source] of dockerfile.matchAll(/^COPY --chmod=\d+ (\S+)/gm)) {
      expect([source, existsSync(join(DEPLOY, "..", source!))]).toEqual([source, true]);
      expect(ignored).toContain(`!${source}`);
    }
  });

  it("hands secrets in files on, keeps those that are set, and takes the shell's place", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin/node"), '#!/bin/sh\necho "$$ $*"\nenv | grep ^REPERTOIRE_ | sort\n', {
      mode: 0o755,
    });
    writeFileSync(join(folder, "url"), "postgres://u:p@db/r\n");
    writeFileSync(join(folder, "token"), "from the file");
    const { stdout, pid } = spawnSync("sh", [join(DEPLOY, "entrypoint.sh"), "serve", "a b"], {
      encoding: "utf8",
      env: {
        PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
        REPERTOIRE_DATABASE_URL_FILE: join(folder, "url"),
        REPERTOIRE_TOKEN_FILE: join(folder, "token"),
        REPERTOIRE_TOKEN: "set",
      },
    });
    expect(stdout.trim().split("\n")).toEqual([
      `${pid} /app/dist/main.js serve a b`,
      "REPERTOIRE_DATABASE_URL=postgres://u:p@db/r",
      "REPERTOIRE_TOKEN=set",
    ]);
  });
});

describe("ports and routes", () => {
  it("one port everywhere", () => {
    const dockerfile = read("Dockerfile");
    expect(dockerfile).toContain(`EXPOSE ${PORT}\n`);
    expect(dockerfile).toContain(`"0.0.0.0:${PORT}"`);
    expect(dockerfile).toContain(`http://127.0.0.1:${PORT}/health/ready`);
    expect(read("haproxy.cfg")).toMatch(new RegExp(`^  server-template gateway \\d+ gateway:${PORT}$`, "m"));
    expect(compose["services"]!["gateway"]!["expose"]).toEqual([String(PORT)]);
    const container = containerOf(deployment);
    expect(container["ports"]).toEqual([{ name: "http", containerPort: PORT, protocol: "TCP" }]);
    expect(container["args"]).toContain(`0.0.0.0:${PORT}`);
    const own = Object.values(container["env"]!).find(
      ({ name }) => textOf(name) === "REPERTOIRE_REPLICA_URL",
    )!;
    expect(own["value"]).toBe(`http://$(POD_IP):${PORT}`);
    for (const service of ofKind("Service"))
      expect(service["spec"]!["ports"]![0]!["targetPort"]).toBe("http");
    const policy = ofKind("NetworkPolicy").find(({ spec }) => spec!["ingress"] !== undefined);
    expect(policy!["spec"]!["ingress"]![0]!["ports"]).toEqual([{ protocol: "TCP", port: PORT }]);
  });

  it("probes ask for routes that answer without a token", () => {
    const container = containerOf(deployment);
    const paths = ["startupProbe", "livenessProbe", "readinessProbe"].map((probe) =>
      textOf(container[probe]!["httpGet"]!["path"]),
    );
    const [, checked] = /^ {2}option httpchk GET (\S+)$/m.exec(read("haproxy.cfg"))!;
    const asked = [...paths, checked!, ...read("Dockerfile").match(/\/health\/\w+/g)!];
    const answers = asked.map((path) =>
      openProbeOf({ request: { method: "GET", headers: {} }, path } as HttpCall),
    );
    expect(answers).toEqual(["live", "live", "ready", "ready", "ready"]);
  });

  it("what is started is a command with options that there are", () => {
    const [, cmd] = /^CMD (\[.*\])$/m.exec(read("Dockerfile"))!;
    const args = JSON.parse(cmd!) as string[];
    expect(containerOf(deployment)["args"]).toEqual(args);
    const units = ["repertoire.service", "repertoire-user.service"].map(
      (unit) => /^ExecStart=.*?(repertoire serve [^'\n]*)/m.exec(read(unit))![1]!,
    );
    expect([`repertoire ${args.join(" ")}`, ...units].flatMap(problemsOfScript)).toEqual([]);
    const migrate = ["migrate", "--config", args.at(-1)];
    expect([containerOf(job)["args"], compose["services"]!["migrate"]!["command"]]).toEqual([
      migrate,
      migrate,
    ]);
  });
});

describe("pods", () => {
  it("meet the restricted policy, as the same user as the image", () => {
    for (const value of [deployment, job]) {
      const { securityContext, automountServiceAccountToken } = podOf(value);
      expect(securityContext).toEqual({
        runAsNonRoot: true,
        runAsUser: UID,
        runAsGroup: UID,
        fsGroup: UID,
        seccompProfile: { type: "RuntimeDefault" },
      });
      expect(automountServiceAccountToken).toBe(false);
      expect(containerOf(value)["securityContext"]).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      const writable = Object.values(containerOf(value)["volumeMounts"]!).filter(({ readOnly }) => !readOnly);
      expect(writable.map(({ mountPath }) => mountPath)).toEqual(["/tmp"]);
    }
  });

  it("have time to end", () => {
    const [, seconds] = containerOf(deployment)["lifecycle"]!["preStop"]!["exec"]![
      "command"
    ] as unknown as string[];
    const grace = Number(textOf(podOf(deployment)["terminationGracePeriodSeconds"]));
    expect(grace).toBeGreaterThan(Number(seconds) + DRAIN_SECONDS);
    expect(
      Number.parseInt(textOf(compose["services"]!["gateway"]!["stop_grace_period"]), 10),
    ).toBeGreaterThan(DRAIN_SECONDS);
    for (const unit of ["repertoire.service", "repertoire-user.service"])
      expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(read(unit))![1])).toBeGreaterThan(DRAIN_SECONDS);
  });

  it("are found by everything that selects them", () => {
    const labels = deployment["spec"]!["template"]!["metadata"]!["labels"];
    const selectors = [
      deployment["spec"]!["selector"]!["matchLabels"],
      ...ofKind("Service").map(({ spec }) => spec!["selector"]),
      ...ofKind("PodDisruptionBudget").map(({ spec }) => spec!["selector"]!["matchLabels"]),
      ...ofKind("NetworkPolicy").map(({ spec }) => spec!["podSelector"]!["matchLabels"]),
    ];
    expect(selectors).toHaveLength(6);
    for (const selector of selectors) expect(labels).toMatchObject(selector!);
    expect(ofKind("HorizontalPodAutoscaler")[0]!["spec"]!["scaleTargetRef"]).toMatchObject({
      kind: "Deployment",
      name: deployment["metadata"]!["name"],
    });
    expect(deployment["spec"]!["replicas"]).toBeUndefined();
  });

  it("get exactly the keys that the example of the secret has, or need not have them", () => {
    const [secret] = ofKind("Secret");
    const given = Object.keys(secret!["stringData"]!);
    const asked = [deployment, job].flatMap((value) =>
      Object.values(containerOf(value)["env"]!).flatMap(({ valueFrom }) => valueFrom?.["secretKeyRef"] ?? []),
    );
    expect(new Set(asked.map(({ name }) => name))).toEqual(new Set([secret!["metadata"]!["name"]]));
    const needed = asked.filter(({ optional }) => !optional).map(({ key }) => textOf(key));
    expect(needed.filter((key) => !given.includes(key))).toEqual([]);
  });
});

it("images have a version, and the gateway's is that of the package", () => {
  const images = [
    ...Object.values(compose["services"]!).map(({ image }) => textOf(image)),
    ...[deployment, job].map((value) => textOf(containerOf(value)["image"])),
  ];
  expect(images).toHaveLength(6);
  for (const image of images) expect(image).toMatch(/^[a-z0-9./-]+:\d+\.\d+(?:\.\d+)?(?:-[a-z]+)?$/);
  const own = images.filter((image) => basename(image).startsWith("repertoire:"));
  expect(own.map((image) => image.split(":")[1])).toEqual([version, version, version, version]);
  const overlay = ofKind("Kustomization").find(({ images: pinned }) => pinned !== undefined);
  expect(textOf(overlay!["images"]![0]!["newTag"])).toBe(version);
});

it("there is no secret in them", () => {
  const values = ofKind("Secret").flatMap(({ stringData }) => Object.values(stringData!));
  expect(new Set(values)).toEqual(new Set([""]));
  const resources = ofKind("Kustomization").flatMap(({ resources: named }) => named as unknown as string[]);
  expect(resources.filter((name) => name.includes("secret"))).toEqual([]);
  const suspicious =
    /PRIVATE KEY|:\/\/[a-z]+:(?!PASSWORD|\$\()[^@\s/]+@|(?<![\w/.-])(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{40,}(?![\w/.-])/;
  expect(files.filter((file) => suspicious.test(read(file)))).toEqual([]);
  expect(read(".gitignore")).toContain("secrets/");
});

it("alerts of the page about scale are on metrics that there are", () => {
  const namesIn = (page: string) => read(`../docs/${page}`).match(/\brepertoire_[a-z_]+/g) ?? [];
  const known = new Set(namesIn("operating.md"));
  // A schema of the database, and no metric.
  const used = namesIn("scale.md").filter((name) => name !== "repertoire_queue");
  expect(used.length).toBeGreaterThan(8);
  expect(used.filter((name) => !known.has(name))).toEqual([]);
});

it("the configs are good", () => {
  const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(createJsonSchema());
  const configs = files.filter((file) => basename(file) === "repertoire.json");
  expect(configs).toHaveLength(3);
  for (const file of configs) {
    isValid(JSON.parse(read(file)));
    expect([file, isValid.errors]).toEqual([file, null]);
  }
});

it("the secrets of compose are made once, each of them, and only their owner gets to them", () => {
  const folder = temporaryFolder();
  cpSync(join(DEPLOY, "make-secrets.sh"), join(folder, "make-secrets.sh"));
  const make = () => spawnSync("sh", [join(folder, "make-secrets.sh")], { encoding: "utf8" });
  expect(make().status).toBe(0);
  const paths = Object.values(compose["secrets"]!).map(({ file }) => join(folder, textOf(file)));
  const made = () => paths.map((path) => readFileSync(path, "utf8"));
  const first = made();
  expect(statSync(dirname(paths[0]!)).mode & 0o777).toBe(0o700);
  expect(make().stdout).toBe("");
  expect(made()).toEqual(first);
  const [url, password, key] = first;
  expect(Buffer.from(key!, "base64url")).toHaveLength(32);
  expect(URL.parse(url!)).toMatchObject({ password, hostname: "postgres", username: "repertoire" });
});

describe("what reads them says that they are good", () => {
  const run = (program: string, args: readonly string[]) => {
    const env = { ...process.env, XDG_RUNTIME_DIR: temporaryFolder() };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: DEPLOY, encoding: "utf8", env });
    return { status, stdout, stderr };
  };

  it.each(["entrypoint.sh", "make-secrets.sh"])("sh: %s", (file) => {
    expect(run("sh", ["-n", file])).toMatchObject({ status: 0, stderr: "" });
  });

  it.skipIf(!has("haproxy"))("haproxy", () => {
    expect(run("haproxy", ["-c", "-f", "haproxy.cfg"])).toMatchObject({ status: 0, stderr: "" });
  });

  it.skipIf(!has("haproxy"))("haproxy, with what spares a hop between replicas", () => {
    const file = join(temporaryFolder(), "haproxy.cfg");
    writeFileSync(file, read("haproxy.cfg").replaceAll(/^ {2}# {3}(stick)/gm, "  $1"));
    expect(readFileSync(file, "utf8").match(/^ {2}stick/gm)).toHaveLength(3);
    expect(run("haproxy", ["-c", "-f", file])).toMatchObject({ status: 0, stderr: "" });
  });

  it.skipIf(!has("systemd-analyze"))("systemd", () => {
    expect(run("systemd-analyze", ["verify", "./repertoire.service"])).toMatchObject({
      status: 0,
      stderr: "",
    });
    const user = run("systemd-analyze", ["verify", "--user", "./repertoire-user.service"]);
    expect(user).toMatchObject({ status: 0, stderr: "" });
  });

  it.skipIf(!has("kubectl"))(
    "kustomize: what comes out has no unknown fields, and its configs are there",
    () => {
      for (const [folder, count] of [
        ["base", 9],
        ["overlays/example", 12],
      ] as const) {
        const { stdout, stderr } = run("kubectl", ["kustomize", `kustomize/${folder}`]);
        expect(stderr).toBe("");
        const made = parseManifests(folder, stdout);
        expect(made).toHaveLength(count);
        expect(made.flatMap(unknownFields)).toEqual([]);
        const config = made.find(({ value }) => textOf(value["kind"]) === "ConfigMap")!.value["metadata"]![
          "name"
        ];
        const pods = made.filter(({ value }) => ["Deployment", "Job"].includes(textOf(value["kind"])));
        expect(pods.map(({ value }) => podOf(value)["volumes"]![0]!["configMap"]!["name"])).toEqual([
          config,
          config,
        ]);
      }
    },
  );
});

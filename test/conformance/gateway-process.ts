/** Repertoire as its users start it: the bundle, with a config file and a home of its own. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { endProcess, firstLineOf, startProcess } from "./processes.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const BIN = join(import.meta.dirname, "../../dist/main.js");

export interface GatewayProcess {
  /** The address of the whole gateway; that of a profile is one path segment below. */
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}

/** `writeLibrary` fills a folder that is imported first. */
export async function startGateway(
  config: object,
  writeLibrary?: (folder: string) => void,
): Promise<GatewayProcess> {
  const temporary = createTemporaryFolder();
  const folder = temporary.path;
  const file = join(folder, "repertoire.json");
  writeFileSync(file, JSON.stringify(config));
  const options = {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, "config"),
      REPERTOIRE_HOME: join(folder, "home"),
      REPERTOIRE_KEYRING: "off",
    },
  };
  if (writeLibrary !== undefined) {
    const library = join(folder, "library");
    writeLibrary(library);
    execFileSync(process.execPath, [BIN, "import", library, "--config", file], { ...options, stdio: "pipe" });
  }
  const child = startProcess([BIN, "serve", "--http", "127.0.0.1:0", "--config", file, "--ready-json"], {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const close = async (): Promise<void> => {
    await endProcess(child);
    temporary.remove();
  };
  try {
    const { url } = (await firstLineOf(child)) as { url: string };
    const token = execFileSync(process.execPath, [BIN, "token", "--config", file], options);
    return { url, token: token.toString().trim(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

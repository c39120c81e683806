import { posix, win32 } from "node:path";

interface EditorPlace {
  readonly homedir: string;
  /** The folder that is the workspace. */
  readonly folder: string;
  readonly platform: NodeJS.Platform;
}

/** What editors put in place of `${workspaceFolder}` and the like, by name. */
export function editorVariables({ homedir, folder, platform }: EditorPlace): ReadonlyMap<string, string> {
  const path = platform === "win32" ? win32 : posix;
  return new Map([
    ["userHome", homedir],
    ["workspaceFolder", folder],
    ["workspaceRoot", folder],
    ["cwd", folder],
    ["workspaceFolderBasename", path.basename(folder)],
    ["pathSeparator", path.sep],
    ["/", path.sep],
  ]);
}

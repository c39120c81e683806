/** What is wrong with a system that the gateway is not made for; undefined where it is (docs/platforms.md). */
export function findPlatformProblem(platform: NodeJS.Platform = process.platform): string | undefined {
  if (platform === "linux" || platform === "darwin") return undefined;
  if (platform !== "win32") return `Repertoire is not tested on ${platform}.`;
  return "Windows itself is not supported: servers started by npx or another .cmd file do not start, and processes may be left behind. Use WSL 2.";
}

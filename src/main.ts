/** The bin. It loads nothing before it knows that this Node can run the rest, and before stdout is safe from stray lines. */
export {};

const NODE_MAJOR_MIN = 24;

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
  process.stderr.write(
    `repertoire needs Node ${NODE_MAJOR_MIN} or newer; this is ${process.version}. Install it from nodejs.org or with your version manager.\n`,
  );
  process.exit(1);
}
const { reserveStdout } = await import("./stdout.ts");
reserveStdout();
const { useCompileCache } = await import("./compile-cache.ts");
useCompileCache();
const { runCli } = await import("./cli/program.ts");
process.exitCode = await runCli(process.argv.slice(2));

import { escapeUnprintable } from "../../text/printable.ts";
import { dim, terminalOptions } from "./terminal.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const INTERVAL_MS = 80;
/** What is done sooner needs no line. */
const QUIET_MS = 300;

export interface ProgressLine {
  show(text: string): void;
  /** Takes the line away; it may be called again. */
  end(): void;
}

/** Does something, and says so where it takes a while. The line is gone before anything else is printed. */
export async function withProgress<T>(
  text: string,
  work: (line: ProgressLine) => Promise<T>,
  output?: NodeJS.WriteStream,
): Promise<T> {
  const line = startProgressLine(output);
  line.show(text);
  try {
    return await work(line);
  } finally {
    line.end();
  }
}

/** A script reads the answer: what is on the terminal is not for it. */
function isForScript(): boolean {
  return terminalOptions().json && !process.stdout.isTTY;
}

/** One line on the terminal that says that the work goes on, and nothing where there is no terminal. */
export function startProgressLine(output: NodeJS.WriteStream = process.stderr): ProgressLine {
  if (!output.isTTY || terminalOptions().quiet || isForScript()) return { show: () => {}, end: () => {} };
  const startedAt = performance.now();
  let text = "running";
  let frame = 0;
  let isShown = false;
  const timer = setInterval(() => {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs < QUIET_MS) return;
    isShown = true;
    const line = `${FRAMES[frame++ % FRAMES.length]} ${(elapsedMs / 1000).toFixed(1)} s · ${text}`;
    output.write(`\r\u001B[2K${dim(escapeUnprintable(line).slice(0, (output.columns ?? 80) - 1))}`);
  }, INTERVAL_MS);
  timer.unref();
  return {
    show: (next) => void (text = next),
    end() {
      clearInterval(timer);
      if (isShown) output.write("\r\u001B[2K");
      isShown = false;
    },
  };
}

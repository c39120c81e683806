import { splitFrame } from "./frame.ts";
import { CONSOLE_BYTES_MAX, CONSOLE_LINES_MAX } from "./limits.ts";
import type { GuestOutcome, LogLine } from "../guest-contract.ts";
import { cutToBytes } from "../../text/cut.ts";

const LEVELS: ReadonlySet<string> = new Set(["debug", "info", "warn", "error"]);
/** A runner stops sending at the limit; one that does not is not ours any more. */
const FRAMES_MAX = 2 * CONSOLE_LINES_MAX;

export interface ConsoleLog {
  /** False when the frame is not one that the guest's side could have sent. */
  take(line: string): boolean;
  /** Adds what the runner did not send. */
  drop(dropped: GuestOutcome["consoleDropped"]): void;
  taken(): Pick<GuestOutcome, "logs" | "consoleDropped">;
}

/** Keeps what the guest prints, up to its limits, and counts the rest. */
export function createConsoleLog(onLog?: (line: LogLine) => void): ConsoleLog {
  const logs: LogLine[] = [];
  let keptBytes = 0;
  let frameCount = 0;
  const dropped = { lines: 0, bytes: 0 };
  return {
    take(frame) {
      const [, level, lengthText, body] = splitFrame(frame, 3) as [string, string, string, string];
      if (!LEVELS.has(level) || ++frameCount > FRAMES_MAX) return false;
      const length = Number(lengthText);
      if (!Number.isSafeInteger(length)) return false;
      if (logs.length >= CONSOLE_LINES_MAX || keptBytes >= CONSOLE_BYTES_MAX) {
        dropped.lines++;
        dropped.bytes += length;
        return true;
      }
      const whole = readText(body);
      if (whole === undefined) return false;
      const message = cutToBytes(whole, CONSOLE_BYTES_MAX - keptBytes);
      keptBytes += Buffer.byteLength(message);
      dropped.bytes += length - message.length;
      const line: LogLine = {
        level: level as LogLine["level"],
        message,
        ...(message.length < length && { truncatedFrom: length }),
      };
      logs.push(line);
      onLog?.(line);
      return true;
    },
    drop({ lines, bytes }) {
      dropped.lines += lines;
      dropped.bytes += bytes;
    },
    taken: () => ({ logs, consoleDropped: dropped }),
  };
}

function readText(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What one run may use. Each has its reason here, and the message that it gives says its value. */

/** A program that is longer than any file of this project ten times over; data goes into the inputs. */
export const CODE_BYTES_MAX = 256 * 1024;
/** What waits longer than this is not a call but a job, which no client waits for. */
export const TIMEOUT_MS_MAX = 10 * 60_000;
/** The answer goes into a conversation: a tenth of this is already more than a model reads. */
export const RESULT_BYTES_MAX = 1024 * 1024;
export const CONSOLE_BYTES_MAX = 256 * 1024;
export const CONSOLE_LINES_MAX = 1000;
/** Of one call; larger than any request body that a server accepts as a rule. */
export const ARGUMENTS_BYTES_MAX = 1024 * 1024;
/** What a tool's answer may have to be read in the guest, where JSON costs about 100 ms for each MiB. */
export const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** A guest that does not stop by itself at its deadline is stuck in native code; it is killed this much later. */
export const KILL_GRACE_MS = 150;
/** How deep capabilities may call capabilities. */
export const DEPTH_MAX = 8;

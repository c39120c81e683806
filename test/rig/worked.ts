/**
 * How much processor time a piece of synchronous work took. On a machine that others use, a clock on the wall also counts the
 * waiting for a processor; this does not, so a bound on it says something about the work alone.
 */
export function workedMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

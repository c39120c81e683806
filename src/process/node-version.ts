/**
 * Whether this Node can run the rest. It is asked before anything else is loaded: an older Node cannot even parse it.
 */

const NODE_MAJOR_MIN = 24;

/** What is wrong with this Node, and what to do; undefined where it is new enough. */
export function findNodeProblem(version: string = process.versions.node): string | undefined {
  if (Number.parseInt(version, 10) >= NODE_MAJOR_MIN) return undefined;
  return `repertoire needs Node ${NODE_MAJOR_MIN} or newer; this is v${version}. Install it from nodejs.org or with your version manager.`;
}

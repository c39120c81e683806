import {
  Background,
  Controls,
  Handle,
  MarkerType,
  Position,
  ReactFlow,
  type Edge,
  type Node,
  type NodeProps,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useMemo, type ReactNode } from "react";
import { cx } from "../../../parts/class-names.ts";
import { formatDuration } from "../../../parts/format.ts";
import { StatusDot, toneOf } from "../../../parts/status.tsx";
import type { Tone } from "../../../parts/badge.tsx";
import { Visible } from "../../../parts/visible.tsx";
import { NODE_HEIGHT, NODE_WIDTH, placeNodes, type WorkflowGraph } from "./graph-layout.ts";
import "./graph.css";

type GraphNode = Node<{ readonly node: WorkflowGraph["nodes"][number]; readonly isChosen: boolean }, "state">;

export interface GraphPictureProps {
  readonly graph: WorkflowGraph;
  readonly chosenStep: number | undefined;
  readonly onStep: (step: number) => void;
}

const BORDERS: Readonly<Record<Tone, string>> = {
  ok: "border-ok-fill",
  fail: "border-fail-fill",
  wait: "border-wait-fill",
  run: "border-run-fill",
  idle: "border-line-strong border-dashed",
};

const NODE_TYPES = { state: StateNode };

/** The workflow as a picture, for the mouse; the list beside it says the same to everybody. */
export function GraphPicture({ graph, chosenStep, onStep }: GraphPictureProps): ReactNode {
  const placed = useMemo(() => placeNodes(graph), [graph]);
  const nodes = useMemo(
    () =>
      placed.map(({ node, x, y }): GraphNode => ({
        id: node.id,
        type: "state",
        position: { x, y },
        width: NODE_WIDTH,
        height: NODE_HEIGHT,
        data: { node, isChosen: node.step !== undefined && node.step === chosenStep },
      })),
    [placed, chosenStep],
  );
  const edges = useMemo(() => graph.edges.map(edgeOf), [graph]);
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      onNodeClick={(_, { data }) => data.node.step !== undefined && onStep(data.node.step)}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      disableKeyboardA11y
      fitView
      fitViewOptions={{ maxZoom: 1, minZoom: 0.7, padding: 0.06 }}
      minZoom={0.1}
      maxZoom={1.6}
      proOptions={{ hideAttribution: true }}
    >
      <Background gap={20} />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

function edgeOf({ from, to, action }: WorkflowGraph["edges"][number], at: number): Edge {
  return {
    id: `${at} ${from} ${to}`,
    source: from,
    target: to,
    markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14 },
    ...(action !== undefined && action !== "default" && { label: action }),
  };
}

function StateNode({ data }: NodeProps<GraphNode>): ReactNode {
  const { node, isChosen } = data;
  const { id, type, status, elapsed_ms: ms, item_count: items } = node;
  return (
    <div
      className={cx(
        "flex h-full flex-col justify-center rounded-md border-[1.5px] bg-raised px-2.5 text-left",
        BORDERS[toneOf(status)],
        isChosen && "ring-2 ring-accent",
      )}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <span className="flex min-w-0 items-center gap-1.5 text-xs font-medium">
        <StatusDot state={status} iconOnly />
        <span className="min-w-0 truncate">
          <Visible text={id} max={60} />
        </span>
        {items !== undefined && <span className="text-muted">×{items}</span>}
      </span>
      <span className="flex min-w-0 gap-1.5 text-2xs text-muted">
        <span className="min-w-0 flex-1 truncate font-mono">
          <Visible text={type} max={60} />
        </span>
        {ms !== null && <span>{formatDuration(ms)}</span>}
      </span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}

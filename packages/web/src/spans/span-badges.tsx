import type { SpanKind, SpanStatus } from "@agate/protocol";
import {
  Bot,
  Braces,
  Circle,
  Database,
  Gauge,
  Link2,
  ListOrdered,
  type LucideIcon,
  ShieldCheck,
  Sparkles,
  SquareCheck,
  Workflow,
  Wrench,
} from "lucide-react";
import { Badge } from "../design/badge.tsx";
import { statusLook } from "./status-look.ts";

const KINDS: Record<SpanKind, { readonly icon: LucideIcon; readonly colour: string }> = {
  WORKFLOW: { icon: Workflow, colour: "var(--kind-workflow)" },
  AGENT: { icon: Bot, colour: "var(--kind-agent)" },
  CHAIN: { icon: Link2, colour: "var(--kind-other)" },
  TASK: { icon: SquareCheck, colour: "var(--kind-other)" },
  TOOL: { icon: Wrench, colour: "var(--kind-tool)" },
  LLM: { icon: Sparkles, colour: "var(--kind-llm)" },
  EMBEDDING: { icon: Braces, colour: "var(--kind-retrieval)" },
  RETRIEVER: { icon: Database, colour: "var(--kind-retrieval)" },
  RERANKER: { icon: ListOrdered, colour: "var(--kind-retrieval)" },
  GUARDRAIL: { icon: ShieldCheck, colour: "var(--kind-check)" },
  EVALUATOR: { icon: Gauge, colour: "var(--kind-check)" },
  UNKNOWN: { icon: Circle, colour: "var(--kind-other)" },
};

/** The colour of a kind, for icons and bars. */
export function kindColour(kind: SpanKind): string {
  return (KINDS[kind] ?? KINDS.UNKNOWN).colour;
}

/** The icon of a span kind. */
export function SpanKindIcon({
  kind,
  size = 15,
}: {
  readonly kind: SpanKind;
  readonly size?: number;
}) {
  const { icon: Icon, colour } = KINDS[kind] ?? KINDS.UNKNOWN;
  return (
    <Icon size={size} role="img" aria-label={kind} className="shrink-0" style={{ color: colour }} />
  );
}

interface StatusBadgeProps {
  readonly status: SpanStatus;
  /** OpenTelemetry has no status for a cancelled span. */
  readonly isCancelled: boolean;
}

/** How a span ended; no badge where the status is not set. */
export function StatusBadge({ status, isCancelled }: StatusBadgeProps) {
  const look = statusLook(status, isCancelled);
  return look && <Badge tone={look.tone}>{look.label}</Badge>;
}

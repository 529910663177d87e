import type { SpanStatus } from "@agate/protocol";
import { Badge, type Tone } from "../design/badge.tsx";

const LOOKS: Record<SpanStatus, { readonly tone: Tone; readonly label: string }> = {
  OK: { tone: "success", label: "OK" },
  ERROR: { tone: "danger", label: "Error" },
  UNSET: { tone: "neutral", label: "Unset" },
};

const CANCELLED = { tone: "warning", label: "Cancelled" } as const;

interface StatusBadgeProps {
  readonly status: SpanStatus;
  /** Cancelled spans have none of OpenTelemetry's statuses. */
  readonly isCancelled: boolean;
}

/** How a span ended. */
export function StatusBadge({ status, isCancelled }: StatusBadgeProps) {
  const { tone, label } = isCancelled && status === "UNSET" ? CANCELLED : LOOKS[status];
  return <Badge tone={tone}>{label}</Badge>;
}

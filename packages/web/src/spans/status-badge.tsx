import type { SpanStatus } from "@agate/protocol";
import { Badge, type Tone } from "../design/badge.tsx";

const LOOKS: Record<SpanStatus, { readonly tone: Tone; readonly label: string }> = {
  OK: { tone: "success", label: "OK" },
  ERROR: { tone: "danger", label: "Error" },
  UNSET: { tone: "neutral", label: "Unset" },
};

/** How a span ended. */
export function StatusBadge({ status }: { readonly status: SpanStatus }) {
  const { tone, label } = LOOKS[status];
  return <Badge tone={tone}>{label}</Badge>;
}

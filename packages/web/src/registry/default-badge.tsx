import { Badge } from "../design/badge.tsx";

/** Marks the environment that calls without one go to. */
export function DefaultBadge() {
  return <Badge title="Calls that name no environment go here.">default</Badge>;
}

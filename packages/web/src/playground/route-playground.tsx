import type { ApplicationSchema, RouteSchema } from "@agate/protocol";
import { Skeleton } from "../design/empty-state.tsx";
import type { KnownConfigs } from "./state/column-base.ts";
import { useWorkspace } from "./state/use-workspace.ts";
import { Workbench } from "./workbench.tsx";

interface RoutePlaygroundProps {
  readonly app: string;
  readonly schema: ApplicationSchema;
  readonly route: RouteSchema;
  readonly known: KnownConfigs;
}

/** The playground of one route. Give it the route as its key. */
export function RoutePlayground(props: RoutePlaygroundProps) {
  const open = useWorkspace(props.app, props.route, props.known);
  if (open === undefined) return <Skeleton lines={6} />;
  return <Workbench {...props} open={open} />;
}

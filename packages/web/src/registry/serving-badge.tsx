import type { Application } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleOff } from "lucide-react";
import { servingQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { mayDo, sessionQuery } from "../api/session.ts";
import { Badge } from "../design/badge.tsx";

/** Polls, because no stream reports crashes and restarts. */
const REFRESH_MS = 5000;

/** Whether an application responds, and which build serves it. */
export function ServingBadge({ application }: { readonly application: Application }) {
  const { slug, build } = application;
  const client = usePlatform();
  const session = useQuery(sessionQuery(client)).data;
  const serving = useQuery({
    ...servingQuery(client, slug),
    refetchInterval: REFRESH_MS,
    // The check is a call of the application.
    enabled: mayDo(session, "run") || mayDo(session, "playground"),
  });
  if (serving.data === false) {
    return (
      <Badge tone={build === null ? "neutral" : "danger"}>
        <CircleOff size={13} aria-hidden />
        {build === null ? "Not running" : `Build ${build} is not responding`}
      </Badge>
    );
  }
  if (build === null && serving.data !== true) return null;
  return (
    <Badge tone="success">
      <CircleCheck size={13} aria-hidden />
      {build === null ? "Running in development" : `Build ${build} is running`}
    </Badge>
  );
}

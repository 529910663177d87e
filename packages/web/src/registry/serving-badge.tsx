import type { Application } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleOff } from "lucide-react";
import { environmentsQuery, servingQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { mayDo, sessionQuery } from "../api/session.ts";
import { Badge } from "../design/badge.tsx";

/** Polls, because no stream reports crashes and restarts. */
const REFRESH_MS = 5000;

/** Whether an application responds in its default environment, and which build serves it. */
export function ServingBadge({ application }: { readonly application: Application }) {
  const { slug, build } = application;
  const client = usePlatform();
  const session = useQuery(sessionQuery(client)).data;
  const environments = useQuery(environmentsQuery(client, slug)).data;
  const serving = useQuery({
    ...servingQuery(client, slug),
    refetchInterval: REFRESH_MS,
    // The check is a call of the application.
    enabled: mayDo(session, "run") || mayDo(session, "playground"),
  });
  if (environments === undefined) return null;
  const live = environments.find(({ is_default }) => is_default)?.deployment?.build;
  // A build that runs elsewhere is not called through the platform, but `agate dev` may answer for it.
  const hosted = live?.kind === "external" ? null : build;
  if (serving.data === false) {
    return (
      <Badge tone={hosted === null ? "neutral" : "danger"}>
        <CircleOff size={13} aria-hidden />
        {hosted !== null
          ? `Build ${hosted} is not responding`
          : build === null
            ? "Not running"
            : `Build ${build} runs elsewhere`}
      </Badge>
    );
  }
  if (hosted === null && serving.data !== true) return null;
  return (
    <Badge tone="success">
      <CircleCheck size={13} aria-hidden />
      {hosted === null ? "Running in development" : `Build ${hosted} is running`}
    </Badge>
  );
}

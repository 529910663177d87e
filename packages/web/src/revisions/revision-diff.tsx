import { useQuery } from "@tanstack/react-query";
import { diffQuery, schemaQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { ConfigDiffView } from "./config-diff-view.tsx";
import { Loaded } from "./loaded.tsx";

interface RevisionDiffProps {
  readonly app: string;
  /** `default@3`, `env:production` */
  readonly from: string;
  readonly to: string;
}

/** How two revisions differ, as the platform tells it. */
export function RevisionDiff({ app, from, to }: RevisionDiffProps) {
  const client = usePlatform();
  const diff = useQuery(diffQuery(client, app, from, to));
  const schema = useQuery(schemaQuery(client, app));
  return (
    <Loaded query={diff}>{(data) => <ConfigDiffView diff={data} schema={schema.data} />}</Loaded>
  );
}

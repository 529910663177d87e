import type { Environment } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import { usePlatform } from "../api/platform-context.tsx";
import { variablesQuery } from "../api/variables.ts";
import { useReadOnlyReason } from "../revisions/read-only.tsx";

interface MissingVariablesProps {
  readonly app: string;
  readonly from: Environment;
  readonly to: Environment;
}

/** Warns of variables that the source of a promotion has and its target lacks: they do not move with it. */
export function MissingVariables({ app, from, to }: MissingVariablesProps) {
  const missing = useMissingVariables(app, from, to);
  if (missing.length === 0) return null;
  return (
    <div className="flex items-start gap-2 rounded-lg bg-warning-soft px-3 py-2 text-warning">
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      <p className="min-w-0 break-words">
        {to.slug} lacks {missing.length === 1 ? "a variable" : `${missing.length} variables`} that{" "}
        {from.slug} has: <span className="font-mono">{missing.join(", ")}</span>. Variables are not
        promoted.{" "}
        <Link
          to="/apps/$app/environments/$environment"
          params={{ app, environment: to.slug }}
          className="font-medium underline"
        >
          Set {missing.length === 1 ? "it" : "them"} in {to.slug}
        </Link>
      </p>
    </div>
  );
}

function useMissingVariables(app: string, from: Environment, to: Environment): readonly string[] {
  const client = usePlatform();
  // Reading variables needs the scope admin. The report of the promotion has the names for other keys.
  const options = { enabled: useReadOnlyReason() === null, staleTime: 0 };
  const source = useQuery({ ...variablesQuery(client, app, from.id), ...options });
  const target = useQuery({ ...variablesQuery(client, app, to.id), ...options });
  if (source.data === undefined || target.data === undefined) return [];
  const names = new Set(target.data.items.map(({ name }) => name));
  return source.data.items.map(({ name }) => name).filter((name) => !names.has(name));
}

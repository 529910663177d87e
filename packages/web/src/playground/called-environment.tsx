import { getRouteApi } from "@tanstack/react-router";
import { Select } from "../design/field.tsx";
import { buildText } from "../revisions/live-plan.ts";
import { orderEnvironments } from "../revisions/order-environments.ts";
import type { KnownConfigs } from "./state/column-base.ts";

const page = getRouteApi("/apps/$app/playground");

interface CalledEnvironmentProps {
  /** Null leaves it to the platform. */
  readonly environment: string | null;
  readonly known: KnownConfigs;
}

/** Which environment's build the playground calls, and the choice of another. */
export function CalledEnvironment({
  environment,
  known: { environments },
}: CalledEnvironmentProps) {
  const navigate = page.useNavigate();
  const isListed = environments.some(({ slug }) => slug === environment);
  return (
    <Select
      aria-label="Called environment"
      title="Without a choice, calls go to the first live environment whose playground is on."
      value={environment ?? ""}
      onChange={({ target }) =>
        void navigate({
          search: ({ environment: _, ...others }) =>
            target.value === "" ? others : { ...others, environment: target.value },
          // The workspace stays: it is not another entry of the history.
          hash: true,
          state: true,
          replace: true,
          resetScroll: false,
          hashScrollIntoView: false,
        })
      }
    >
      <option value="">Any environment</option>
      {environment !== null && !isListed && <option value={environment}>{environment}</option>}
      {orderEnvironments(environments).map(({ slug, deployment }) => (
        <option key={slug} value={slug} disabled={deployment === null || deployment.build === null}>
          {slug}: {deployment === null ? "nothing live" : buildText(deployment.build)}
        </option>
      ))}
    </Select>
  );
}

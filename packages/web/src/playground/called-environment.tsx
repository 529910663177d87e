import type { Environment } from "@agate/protocol";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Select } from "../design/field.tsx";
import { buildText } from "../revisions/live-plan.ts";
import { orderEnvironments } from "../revisions/order-environments.ts";
import { NoticeBar } from "./notice-bar.tsx";
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
      {orderEnvironments(environments).map(({ slug, deployment, playground }) => (
        <option key={slug} value={slug} disabled={deployment === null || deployment.build === null}>
          {slug}: {deployment === null ? "nothing live" : buildText(deployment.build)}
          {!playground && ", playground off"}
        </option>
      ))}
    </Select>
  );
}

/** Tells how to switch the playground on where calls of it are refused; nothing where it is on. */
export function PlaygroundOffNotice({
  app,
  environment,
  known: { environments },
}: CalledEnvironmentProps & { readonly app: string }) {
  const refusing = refusingEnvironment(environments, environment);
  if (refusing === undefined) return null;
  return (
    <NoticeBar
      text={`The playground is off in ${refusing}: calls from here are refused.`}
      action={
        <Link
          to="/apps/$app/environments/$environment"
          params={{ app, environment: refusing }}
          className="shrink-0 pt-0.5 underline"
        >
          Switch it on
        </Link>
      }
    />
  );
}

/** The environment whose playground has to be switched on before calls are taken. */
function refusingEnvironment(
  environments: readonly Environment[],
  named: string | null,
): string | undefined {
  // What runs elsewhere takes no calls from here in any case.
  const live = environments.filter(({ deployment }) => deployment?.build?.kind === "hosted");
  if (named !== null)
    return live.find(({ slug, playground }) => slug === named && !playground)?.slug;
  if (live.some(({ playground }) => playground)) return undefined;
  return (live.find(({ is_default }) => is_default) ?? live[0])?.slug;
}

/**
 * The environment whose build answers calls that name none: the first live one that has its playground
 * on. Null where there is none.
 */
export function usualEnvironment(environments: readonly Environment[]): string | null {
  const isCalled = ({ deployment, playground }: Environment) => playground && deployment?.build;
  return environments.find(isCalled)?.slug ?? null;
}

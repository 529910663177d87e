import { useQuery } from "@tanstack/react-query";
import { CircleAlert } from "lucide-react";
import { ApiError } from "../../api/api-error.ts";
import { applicationsQuery } from "../../api/applications.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { problemsFrom } from "../../config-form/field-problem.ts";
import { CommandLine } from "../../design/copy-button.tsx";
import { LongText } from "../../value-view/long-text.tsx";

interface RunFailureProps {
  readonly app: string;
  readonly error: Error;
}

/** Why a run has failed. What is wrong with a field is said at the field as well. */
export function RunFailure({ app, error }: RunFailureProps) {
  const applications = useQuery(applicationsQuery(usePlatform())).data;
  const isDeployed = applications?.find(({ slug }) => slug === app)?.build != null;
  const problem = error instanceof ApiError ? gatewayProblem(error, app, isDeployed) : null;
  if (problem !== null) {
    return (
      <Box title={problem.title}>
        <p>{problem.advice}</p>
        {problem.commands.map((command) => (
          <CommandLine key={command} command={command} />
        ))}
      </Box>
    );
  }
  if (!(error instanceof ApiError)) {
    return <Box title="No answer came">{error.message}</Box>;
  }
  if (error.status === 422) return <Refusal error={error} />;
  const types = [...new Set(error.detail.map(({ type }) => type))];
  // A stream that fails in the middle had begun with 200.
  const kind = error.status < 400 ? types : [error.status, ...types];
  return (
    <Box title={error.message} kind={kind.join(" ")}>
      <Stack body={error.body} />
    </Box>
  );
}

function Refusal({ error }: { readonly error: ApiError }) {
  const config = problemsFrom(error, "config");
  const inputs = problemsFrom(error, "inputs");
  const where = [
    config.mine.length > 0 && "the configuration",
    inputs.mine.length > 0 && "the inputs",
  ].filter((place) => place !== false);
  return (
    <Box title="The workflow refused the call">
      {where.length > 0 && <p>See what is marked in {where.join(" and in ")}.</p>}
      {config.others.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </Box>
  );
}

function Stack({ body }: { readonly body: unknown }) {
  const stack = (body as { readonly stack?: unknown } | null)?.stack;
  if (typeof stack !== "string") return null;
  return (
    <details>
      <summary className="cursor-pointer rounded text-[0.93rem] text-ink-soft hover:text-ink">
        Where it was thrown
      </summary>
      <pre
        // Scrolls: to be reached by the keyboard as well.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        className="mt-1 max-h-64 overflow-auto rounded-md bg-surface p-2 font-mono text-xs leading-relaxed"
      >
        {stack}
      </pre>
    </details>
  );
}

interface BoxProps {
  readonly title: string;
  /** For programs: `418 teapot`. */
  readonly kind?: string;
  readonly children: React.ReactNode;
}

function Box({ title, kind = "", children }: BoxProps) {
  return (
    <div
      role="alert"
      className="mx-4 mb-3 flex min-w-0 gap-2 rounded-lg bg-danger-soft px-3 py-2.5"
    >
      <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-danger" />
      <div className="flex min-w-0 flex-1 flex-col gap-1.5">
        <LongText text={title} limit={600} className="font-medium text-danger" />
        {kind !== "" && <p className="font-mono text-xs text-ink-soft">{kind}</p>}
        {children}
      </div>
    </div>
  );
}

/** Why no workflow has answered, and what to do about it. */
interface GatewayProblem {
  readonly title: string;
  readonly advice: string;
  /** To be typed at a terminal. */
  readonly commands: readonly string[];
}

/**
 * Null where the workflow itself has answered.
 *
 * @param isDeployed Whether a build serves it, whose log is kept; else it runs from its source.
 */
function gatewayProblem(error: ApiError, app: string, isDeployed: boolean): GatewayProblem | null {
  if (error.has("service_not_found") || error.has("application_not_found")) {
    return {
      title: `No build serves ${app}`,
      advice: "Run it from its source, or deploy it; then run this again.",
      commands: [`agate dev app.ts --app ${app}`, `agate deploy app.ts --app ${app}`],
    };
  }
  const log = isDeployed ? "Its log says why:" : "The terminal that it was started in says why.";
  const commands = isDeployed ? [`agate logs ${app}`] : [];
  if (error.has("service_unavailable")) {
    // It says which build, what is wrong with it, and how long it takes.
    const advice = `${error.message} Run this again then. ${log}`;
    return { title: `${app} does not answer yet`, advice, commands };
  }
  if (error.has("service_failed")) {
    const advice = `It has crashed, or was reloaded, and is started again by itself. ${log}`;
    return { title: `${app} broke off before it answered`, advice, commands };
  }
  return null;
}

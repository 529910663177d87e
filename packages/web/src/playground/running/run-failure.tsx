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

/** Why a run failed. Invalid fields show their problem themselves as well. */
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
    return <Box title="No response">{error.message}</Box>;
  }
  if (error.status === 422) return <RejectedCall error={error} />;
  const types = [...new Set(error.detail.map(({ type }) => type))];
  // A stream that fails in the middle started with status 200.
  const kind = error.status < 400 ? types : [error.status, ...types];
  return (
    <Box title={error.message} kind={kind.join(" ")}>
      <Stack body={error.body} />
    </Box>
  );
}

function RejectedCall({ error }: { readonly error: ApiError }) {
  const config = problemsFrom(error, "config");
  const inputs = problemsFrom(error, "inputs");
  const where = [
    config.mine.length > 0 && "the configuration",
    inputs.mine.length > 0 && "the inputs",
  ].filter((place) => place !== false);
  return (
    <Box title="The workflow rejected the call">
      {where.length > 0 && <p>Check the marked fields in {where.join(" and ")}.</p>}
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
        Stack trace
      </summary>
      <pre
        // It scrolls, so the keyboard must reach it.
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

/** Why no workflow responded, and what to do about it. */
interface GatewayProblem {
  readonly title: string;
  readonly advice: string;
  /** For a terminal. */
  readonly commands: readonly string[];
}

/**
 * Null if the workflow itself responded.
 *
 * @param isDeployed Whether a build serves the application; otherwise `agate dev` runs it.
 */
function gatewayProblem(error: ApiError, app: string, isDeployed: boolean): GatewayProblem | null {
  if (error.has("service_not_found") || error.has("application_not_found")) {
    return {
      title: `No build serves ${app}`,
      advice: "Run or deploy its workflow, then try again:",
      commands: [`agate dev app.ts --app ${app}`, `agate deploy app.ts --app ${app}`],
    };
  }
  const log = isDeployed ? "See its log:" : "See the terminal that runs it.";
  const commands = isDeployed ? [`agate logs ${app}`] : [];
  if (error.has("service_unavailable")) {
    // The message names the build and its state.
    const advice = `${error.message} Then try again. ${log}`;
    return { title: `${app} is not responding`, advice, commands };
  }
  if (error.has("service_failed")) {
    const advice = `The workflow crashed or was reloaded, and is being restarted. ${log}`;
    return { title: `${app} stopped before it responded`, advice, commands };
  }
  return null;
}

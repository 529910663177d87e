import type { Application } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CalendarSearch, FlaskConical, type LucideIcon, Radio, SquareTerminal } from "lucide-react";
import type { ReactNode } from "react";
import { applicationsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { sessionQuery } from "../api/session.ts";
import { useNow } from "../design/browser-state.ts";
import { Button, buttonClass } from "../design/button.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { EmptyState, ErrorState, Skeleton } from "../design/empty-state.tsx";
import { formatWhen } from "../format/format-time.ts";
import icon from "../icon.svg";

const MOST_APPLICATIONS = 6;
const LOOK_AGAIN_MS = 2000;

/** Shown before the first call; the page polls, and is replaced when the first call arrives. */
export function FirstRun() {
  const client = usePlatform();
  const session = useQuery(sessionQuery(client));
  const applications = useQuery({ ...applicationsQuery(client), refetchInterval: LOOK_AGAIN_MS });
  if (applications.data === undefined) {
    if (applications.error === null) return <Skeleton lines={6} />;
    return <ErrorState error={applications.error} onRetry={() => void applications.refetch()} />;
  }
  if (applications.data.length > 0) return <NoCalls applications={applications.data} />;
  return (
    <Welcome origin={location.origin} needsKey={session.data?.caller?.is_operator === false} />
  );
}

function NoCalls({ applications }: { readonly applications: readonly Application[] }) {
  return (
    <EmptyState icon={FlaskConical} title="No calls yet">
      <p>Call an application in the playground to see its figures here.</p>
      <ul className="flex flex-wrap justify-center gap-2">
        {applications.slice(0, MOST_APPLICATIONS).map(({ slug }) => (
          <li key={slug}>
            <Link
              to="/apps/$app/playground"
              params={{ app: slug }}
              className={buttonClass("primary")}
            >
              <FlaskConical size={15} aria-hidden />
              {slug}
            </Link>
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}

interface NoMatchingCallsProps {
  /** The time of the last call. */
  readonly newest: string;
  readonly hasFilters: boolean;
  readonly onClearFilters: () => void;
  readonly onShowMonth: () => void;
}

/** Shown where no call matches the filters and the range. */
export function NoMatchingCalls(props: NoMatchingCallsProps) {
  const { newest, hasFilters } = props;
  const now = useNow();
  return (
    <EmptyState
      icon={CalendarSearch}
      title={hasFilters ? "No matching calls in this period" : "No calls in this period"}
    >
      <p>Last call: {formatWhen(newest, now)}.</p>
      <div className="flex flex-wrap justify-center gap-2">
        {hasFilters && <Button onClick={props.onClearFilters}>Clear filters</Button>}
        <Button onClick={props.onShowMonth}>Show last 30 days</Button>
      </div>
    </EmptyState>
  );
}

interface WelcomeProps {
  /** The URL of the platform. */
  readonly origin: string;
  /** Whether the platform requires an API key. */
  readonly needsKey: boolean;
}

/** Shown on an empty platform: how to send a first call. */
function Welcome({ origin, needsKey }: WelcomeProps) {
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-6 py-8">
      <header className="flex items-center gap-4">
        <img src={icon} alt="" className="size-12" />
        <div>
          <h2 className="text-lg font-semibold tracking-tight">Welcome to Agate</h2>
          <p className="text-ink-soft">
            Agate is running. Send your first call in one of two ways.
          </p>
        </div>
      </header>
      <ol className="flex flex-col gap-3">
        <Step number={1} icon={SquareTerminal} title="Write and deploy a workflow">
          <p>
            Your functions become configurable, traced endpoints. While you develop,{" "}
            <code className="font-mono">npm run dev</code> reloads on every save.
          </p>
          <Commands
            what="commands"
            lines={[
              "npx @agate/cli init my-project && cd my-project",
              `export AGATE_BASE_URL=${origin}`,
              ...(needsKey ? ["export AGATE_API_KEY=YOUR-KEY"] : []),
              "npx agate deploy app.ts --app my-app --environment production",
            ]}
          />
        </Step>
        <Step number={2} icon={Radio} title="Send traces from an existing program">
          <p>Any OpenTelemetry program works: point its exporter here.</p>
          <Commands
            what="settings"
            lines={[
              `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}`,
              "export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
              ...(needsKey
                ? ['export OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer YOUR-KEY"']
                : []),
            ]}
          />
        </Step>
        <Step number={3} icon={FlaskConical} title="Try it in the playground">
          <p>Call a route with another prompt or model, and see its trace.</p>
          <Link to="/playground" className={buttonClass("primary")}>
            Open playground
          </Link>
        </Step>
      </ol>
    </div>
  );
}

interface StepProps {
  readonly number: number;
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children: ReactNode;
}

function Step({ number, icon: Icon, title, children }: StepProps) {
  return (
    <li className="flex gap-4 rounded-xl border border-line bg-surface p-4 max-sm:flex-col max-sm:gap-2">
      <span className="flex size-9 shrink-0 items-center justify-center rounded-lg bg-accent-soft text-accent">
        <Icon size={18} aria-hidden />
      </span>
      <div className="flex min-w-0 flex-1 flex-col items-start gap-2">
        <h3 className="font-semibold">
          {number}. {title}
        </h3>
        <div className="flex w-full min-w-0 flex-col items-start gap-2.5 text-ink-soft">
          {children}
        </div>
      </div>
    </li>
  );
}

function Commands({ what, lines }: { readonly what: string; readonly lines: readonly string[] }) {
  return (
    <div className="flex w-full items-start gap-1 rounded-lg bg-sunken py-1.5 pr-1.5 pl-3">
      <pre className="min-w-0 flex-1 py-1 font-mono text-[0.93rem] [font-variant-ligatures:none] break-words whitespace-pre-wrap text-ink">
        {lines.join("\n")}
      </pre>
      <CopyButton what={what} text={lines.join("\n")} />
    </div>
  );
}

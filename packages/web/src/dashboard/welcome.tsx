import { Link } from "@tanstack/react-router";
import { FlaskConical, type LucideIcon, Radio, SquareTerminal } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "../design/button.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import icon from "../icon.svg";

interface WelcomeProps {
  /** Where the platform is. */
  readonly origin: string;
  /** Whether it asks programs for an API key. */
  readonly needsKey: boolean;
}

/** Nothing is there yet: how something gets there. */
export function Welcome({ origin, needsKey }: WelcomeProps) {
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-6 py-8">
      <header className="flex items-center gap-4">
        <img src={icon} alt="" className="size-12" />
        <div>
          <h2 className="text-lg font-semibold tracking-tight">Welcome to Agate</h2>
          <p className="text-ink-soft">
            It runs, and waits for the first call. There are two ways to make one.
          </p>
        </div>
      </header>
      <ol className="flex flex-col gap-3">
        <Step number={1} icon={SquareTerminal} title="Write a workflow and deploy it here">
          <p>
            Functions become endpoints that can be configured, called and traced. To try things out,{" "}
            <code className="font-mono">npm run dev</code> in the project reloads on every save.
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
        <Step number={2} icon={Radio} title="Or send traces from what you have">
          <p>Anything that speaks OpenTelemetry can: tell its exporter where this is.</p>
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
        <Step number={3} icon={FlaskConical} title="Play with it">
          <p>
            In the playground you call a route with another prompt or model, and see its trace at
            once.
          </p>
          <Link to="/playground" className={buttonClass("primary")}>
            Open the playground
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

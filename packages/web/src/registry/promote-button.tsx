import type { Environment } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { ArrowRight, Equal } from "lucide-react";
import { useState } from "react";
import { diffQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { countFields, fieldsText } from "../revisions/field-change.ts";
import { buildText, isSameBuild, isSamePair, movedPair } from "../revisions/live-plan.ts";
import { ChangeButton } from "../revisions/read-only.tsx";
import { PromoteDialog } from "./environment-dialogs.tsx";

interface PromoteButtonProps {
  readonly app: string;
  readonly from: Environment;
  readonly to: Environment;
}

/** Promotes to the next environment, and shows whether its code and how many fields would change. */
export function PromoteButton({ app, from, to }: PromoteButtonProps) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <Offer app={app} from={from} to={to} onAsk={() => setConfirming(true)} />
      {/* Stays open if something else goes live in the meantime: it shows the new state. */}
      {isConfirming && (
        <PromoteDialog
          app={app}
          from={from.slug}
          to={to.slug}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  );
}

function Offer({ app, from, to, onAsk }: PromoteButtonProps & { readonly onAsk: () => void }) {
  const { deployment: source } = from;
  const { deployment: target } = to;
  if (source === null) return null;
  const moved = movedPair(source, target, "both");
  if (target !== null && isSamePair(moved, target)) {
    return (
      <p className="flex items-center gap-1.5 text-ink-soft">
        <Equal size={15} aria-hidden className="shrink-0" />
        Same as {to.slug}
      </p>
    );
  }
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <ChangeButton size="small" scope="either" onClick={onAsk}>
        Promote to {to.slug}
        <ArrowRight size={14} aria-hidden />
      </ChangeButton>
      <span className="text-ink-soft">
        {target === null ? (
          "nothing live there"
        ) : (
          <>
            {!isSameBuild(moved, target) && `${buildText(target.build)} there, `}
            <Difference app={app} from={to.slug} to={from.slug} />
          </>
        )}
      </span>
    </div>
  );
}

interface DifferenceProps {
  readonly app: string;
  readonly from: string;
  readonly to: string;
}

/** How many values of the two environments differ, each with the defaults of its own code. */
function Difference({ app, from, to }: DifferenceProps) {
  const diff = useQuery(diffQuery(usePlatform(), app, `env:${from}`, `env:${to}`));
  return diff.data === undefined ? null : fieldsText(countFields(diff.data.routes));
}

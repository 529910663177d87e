import { parseRevisionRef } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { variantsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { LiveChangeDialog } from "../revisions/live-change-dialog.tsx";
import { isSameRevision, liveIn, revisionText } from "../revisions/live-plan.ts";
import { RevisionPicker } from "../revisions/revision-picker.tsx";

interface DeployHereDialogProps {
  readonly app: string;
  readonly environment: string;
  readonly onClose: () => void;
}

/** Puts a revision that is chosen here into an environment. */
export function DeployHereDialog({ app, environment, onClose }: DeployHereDialogProps) {
  const variants = useQuery(variantsQuery(usePlatform(), app)).data ?? [];
  const [chosen, setChosen] = useState<string>();
  const ref = chosen === undefined ? undefined : parseRevisionRef(chosen);
  return (
    <LiveChangeDialog
      app={app}
      title={`Deploy to ${environment}`}
      action="Deploy"
      onClose={onClose}
      plan={(environments) => {
        if (ref?.kind !== "variant") return "Choose what is to be live.";
        const latest = variants.find(({ slug }) => slug === ref.variant)?.latest_revision ?? 0;
        const to = { slug: ref.variant, revision: ref.revision ?? latest };
        const live = liveIn(environments, environment);
        if (live !== null && isSameRevision(live.variant, to)) {
          return `${revisionText(to)} is live in ${environment} already. Choose another.`;
        }
        const change = { kind: "deploy", variant: to.slug, revision: to.revision } as const;
        return { environment, to, change };
      }}
    >
      {() => (
        <RevisionPicker label="Revision" variants={variants} value={chosen} onChange={setChosen} />
      )}
    </LiveChangeDialog>
  );
}

import { useNavigate } from "@tanstack/react-router";
import { forkVariant } from "../api/registry-changes.ts";
import { useToaster } from "../design/toaster.tsx";
import { NameDialog } from "./name-dialog.tsx";

interface ForkDialogProps {
  readonly app: string;
  readonly variant: string;
  readonly revision: number;
  readonly onClose: () => void;
}

/** Begins a variant with a copy of a revision. */
export function ForkDialog({ app, variant, revision, onClose }: ForkDialogProps) {
  const toaster = useToaster();
  const navigate = useNavigate();
  return (
    <NameDialog
      title={`Fork ${variant}@${revision}`}
      action="Fork"
      change={(client, slug) => forkVariant(client, app, variant, { slug, revision })}
      onDone={({ slug }) => {
        toaster.done(`${slug} begins with a copy of ${variant}@${revision}.`);
        void navigate({ to: "/apps/$app/variants/$variant", params: { app, variant: slug } });
      }}
      onClose={onClose}
    >
      <p className="text-ink-soft">
        A new variant, whose first revision is a copy of {variant}@{revision}. The two go their own
        ways from there.
      </p>
    </NameDialog>
  );
}

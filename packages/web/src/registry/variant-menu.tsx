import { useNavigate } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { deleteVariant, renameVariant } from "../api/registry-changes.ts";
import { IconButton } from "../design/icon-button.tsx";
import { Menu, MenuHeading, MenuItem } from "../design/menu.tsx";
import { useToaster } from "../design/toaster.tsx";
import { useMayChange } from "../revisions/use-may-change.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { NameDialog } from "./name-dialog.tsx";

interface VariantMenuProps {
  readonly app: string;
  readonly variant: string;
}

/** What can be done with a whole variant. */
export function VariantMenu({ app, variant }: VariantMenuProps) {
  const forbidden = useMayChange();
  const toaster = useToaster();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<"rename" | "delete" | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={`More for ${variant}`} />}>
        {forbidden !== null && <MenuHeading>{forbidden}</MenuHeading>}
        <MenuItem disabled={forbidden !== null} onSelect={() => setAsked("rename")}>
          Rename…
        </MenuItem>
        <MenuItem disabled={forbidden !== null} tone="danger" onSelect={() => setAsked("delete")}>
          Delete…
        </MenuItem>
      </Menu>
      {asked === "rename" && (
        <NameDialog
          title={`Rename ${variant}`}
          action="Rename"
          initial={variant}
          change={(client, slug) => renameVariant(client, app, variant, slug)}
          onDone={({ slug }) => {
            toaster.done(`${variant} is called ${slug} now.`);
            void navigate({ to: "/apps/$app/variants/$variant", params: { app, variant: slug } });
          }}
          onClose={close}
        >
          <p className="text-ink-soft">
            Callers that name {variant} are answered with “not found” from then on. Environments
            where it is live go on as they are.
          </p>
        </NameDialog>
      )}
      {asked === "delete" && (
        <ConfirmDialog
          title={`Delete ${variant}`}
          action="Delete"
          look="danger"
          refusal="Not deleted"
          change={(client) => deleteVariant(client, app, variant)}
          onDone={() => {
            toaster.done(`${variant} is deleted.`);
            void navigate({ to: "/apps/$app", params: { app } });
          }}
          onClose={close}
        >
          <p>
            The variant {variant} goes, with all its revisions. There is no way back: environments
            cannot be rolled back to it any more.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

import { useNavigate } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { deleteApplication, renameApplication } from "../api/registry-changes.ts";
import { IconButton } from "../design/icon-button.tsx";
import { Menu, MenuHeading, MenuItem } from "../design/menu.tsx";
import { useToaster } from "../design/toaster.tsx";
import { useMayChange } from "../revisions/use-may-change.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { NameDialog } from "./name-dialog.tsx";

/** What can be done with a whole application. */
export function AppMenu({ app }: { readonly app: string }) {
  const forbidden = useMayChange();
  const toaster = useToaster();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<"rename" | "delete" | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={`More for ${app}`} />}>
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
          title={`Rename ${app}`}
          action="Rename"
          initial={app}
          change={(client, slug) => renameApplication(client, app, slug)}
          onDone={({ slug }) => {
            toaster.done(`${app} is called ${slug} now.`);
            void navigate({ to: "/apps/$app", params: { app: slug } });
          }}
          onClose={close}
        >
          <p className="text-ink-soft">
            Workflows and callers that name {app} are answered with “not found” from then on.
          </p>
        </NameDialog>
      )}
      {asked === "delete" && (
        <ConfirmDialog
          title={`Delete ${app}`}
          action="Delete"
          look="danger"
          refusal="Not deleted"
          change={(client) => deleteApplication(client, app)}
          onDone={() => {
            toaster.done(`${app} is deleted.`);
            void navigate({ to: "/apps" });
          }}
          onClose={close}
        >
          <p>
            The application {app} goes, with its variants, all their revisions, its environments and
            its builds. There is no way back. Traces stay.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

import { Ellipsis } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { PlatformClient } from "../api/platform-client.ts";
import { IconButton } from "../design/button.tsx";
import { Menu, MenuItem } from "../design/menu.tsx";
import { useToaster } from "../design/toaster.tsx";
import { useReadOnlyReason } from "../revisions/read-only.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { NameDialog } from "./name-dialog.tsx";

interface RenameOrDeleteMenuProps {
  readonly name: string;
  readonly rename: (client: PlatformClient, slug: string) => Promise<{ readonly slug: string }>;
  /** The effect of a new name. */
  readonly renameNote: ReactNode;
  readonly onRenamed: (slug: string) => void;
  readonly remove: (client: PlatformClient) => Promise<unknown>;
  /** What is deleted with it. */
  readonly deleteNote: ReactNode;
  readonly onDeleted: () => void;
}

/** Renames or deletes an application or a variant. */
export function RenameOrDeleteMenu(props: RenameOrDeleteMenuProps) {
  const { name } = props;
  const readOnlyReason = useReadOnlyReason();
  const toaster = useToaster();
  const [asked, setAsked] = useState<"rename" | "delete" | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <Menu
        trigger={<IconButton icon={Ellipsis} label={`More actions for ${name}`} />}
        refusal={readOnlyReason}
      >
        <MenuItem disabled={readOnlyReason !== null} onSelect={() => setAsked("rename")}>
          Rename…
        </MenuItem>
        <MenuItem
          disabled={readOnlyReason !== null}
          tone="danger"
          onSelect={() => setAsked("delete")}
        >
          Delete…
        </MenuItem>
      </Menu>
      {asked === "rename" && (
        <NameDialog
          title={`Rename ${name}`}
          action="Rename"
          initial={name}
          change={props.rename}
          onDone={({ slug }) => {
            toaster.done(`Renamed ${name} to ${slug}.`);
            props.onRenamed(slug);
          }}
          onClose={close}
        >
          <p className="text-ink-soft">{props.renameNote}</p>
        </NameDialog>
      )}
      {asked === "delete" && (
        <ConfirmDialog
          title={`Delete ${name}`}
          action="Delete"
          look="danger"
          refusal="Not deleted"
          change={props.remove}
          onDone={() => {
            toaster.done(`Deleted ${name}.`);
            props.onDeleted();
          }}
          onClose={close}
        >
          <p>{props.deleteNote}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

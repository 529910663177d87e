import { useNavigate } from "@tanstack/react-router";
import { deleteVariant, renameVariant } from "../api/registry-changes.ts";
import { RenameOrDeleteMenu } from "./rename-or-delete-menu.tsx";

interface VariantMenuProps {
  readonly app: string;
  readonly variant: string;
}

/** What can be done with a whole variant. */
export function VariantMenu({ app, variant }: VariantMenuProps) {
  const navigate = useNavigate();
  return (
    <RenameOrDeleteMenu
      name={variant}
      rename={(client, slug) => renameVariant(client, app, variant, slug)}
      renameNote={`Callers that name ${variant} are answered with “not found” from then on. Environments where it is live go on as they are.`}
      onRenamed={(slug) =>
        void navigate({ to: "/apps/$app/variants/$variant", params: { app, variant: slug } })
      }
      remove={(client) => deleteVariant(client, app, variant)}
      deleteNote={`The variant ${variant} goes, with all its revisions. There is no way back: environments cannot be rolled back to it any more.`}
      onDeleted={() => void navigate({ to: "/apps/$app", params: { app } })}
    />
  );
}

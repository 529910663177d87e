import { Unplug } from "lucide-react";
import { CommandLine } from "../design/copy-button.tsx";
import { EmptyState } from "../design/empty-state.tsx";

/** An application that has not told what its routes take. */
export function NoSchema({ app }: { readonly app: string }) {
  return (
    <EmptyState icon={Unplug} title={`${app} has told no routes yet`}>
      <p>Run its workflow, or deploy it: the platform then knows what its routes take.</p>
      <CommandLine command={`agate dev app.ts --app ${app}`} />
      <CommandLine command={`agate deploy app.ts --app ${app}`} />
    </EmptyState>
  );
}

import { PageHeader } from "../design/page-header.tsx";
import { useTitle } from "../design/use-title.ts";

export function PlaygroundStartPage() {
  useTitle("Playground");
  return <PageHeader title="Playground" />;
}

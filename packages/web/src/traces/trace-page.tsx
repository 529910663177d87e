import { PageHeader } from "../design/page-header.tsx";
import { useTitle } from "../design/use-title.ts";

export function TracePage() {
  useTitle("Trace");
  return <PageHeader title="Trace" />;
}

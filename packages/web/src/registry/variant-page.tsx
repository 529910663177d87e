import { PageHeader } from "../design/page-header.tsx";
import { useTitle } from "../design/use-title.ts";

export function VariantPage() {
  useTitle("Variant");
  return <PageHeader title="Variant" />;
}

import { BaseModel, Field, int, route } from "@agate/sdk";

class NothingConfig extends BaseModel<NothingConfig> {
  added = Field(int, { default: 0 });
}

/** A route that does nothing: what is measured is everything around it. */
export const nothing = route("/nothing", NothingConfig)(({ n }: { n: number }) => n);

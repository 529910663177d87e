/**
 * Where a bundle will run. `here`: in or below the project's folder, where the SDK and the project's
 * files are what they are now. `elsewhere`: in a folder of its own, with the SDK inside it.
 */
export type BundleRequest =
  | { readonly runs: "here" }
  | {
      readonly runs: "elsewhere";
      /** Whether the SDK takes the `@opentelemetry/api` that is installed there. */
      readonly sharesApi: boolean;
    };

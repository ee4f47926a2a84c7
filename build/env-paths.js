// The package throws for a user without a home folder. conf needs no path here: src/profiles/store.ts gives one.
export default function envPaths() {
  throw new Error("the folder of the credentials is not known");
}

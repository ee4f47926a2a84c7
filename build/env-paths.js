// In place of the package, which asks for the home folder when it is loaded and throws for a user without one. conf calls it only
// for a folder that it was not given; src/profiles/store.ts gives one.
export default function envPaths() {
  throw new Error("the folder of the credentials is not known");
}

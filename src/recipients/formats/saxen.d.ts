declare module "saxen" {
  export class Parser {
    on(event: "openTag", handler: (name: string, attributes: () => Readonly<Record<string, string>>) => void): this;
    on(event: "closeTag", handler: (name: string) => void): this;
    on(event: "text" | "cdata" | "attention", handler: (value: string) => void): this;
    write(xml: string): this;
    end(): unknown;
  }
}

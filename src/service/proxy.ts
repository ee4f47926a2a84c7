export class ProxyError extends Error {
  readonly code: string;
  readonly peer: string;

  constructor(proxy: URL, cause: { readonly code?: string | undefined; readonly message: string }) {
    super(cause.message);
    this.code = cause.code ?? "";
    this.peer = `the proxy at ${hostAndPort(proxy)}`;
  }
}

export function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

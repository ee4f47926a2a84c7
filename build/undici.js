// undici's index would load fetch, WebSocket, caches and mocks on every send.
export { default as buildConnector } from "../node_modules/undici/lib/core/connect.js";
export { default as Client } from "../node_modules/undici/lib/dispatcher/client.js";

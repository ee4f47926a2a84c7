/** What begins like an API key: nothing that is sent, kept or shown may be one. */
export const keyLike = /\bsk_(test|live)_/;

/** Nothing that is sent, kept or shown may begin like an API key. */
export const keyLike = /\bsk_(test|live)_/;

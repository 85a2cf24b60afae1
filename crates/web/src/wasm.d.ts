/** The module, deflated without a header, in base64: written by build.mjs. */
export const inlined: string;

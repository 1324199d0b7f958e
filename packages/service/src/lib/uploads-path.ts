/** The path of uploaded pictures. Nothing else is served under it. */
export const UPLOADS = '/uploads/'

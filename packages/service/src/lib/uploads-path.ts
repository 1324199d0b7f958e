/** Where the pictures are served: a path of their own, so that nothing else of the service answers there. */
export const UPLOADS = '/uploads/'

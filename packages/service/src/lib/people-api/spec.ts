/** The `spec` of all endpoints of the people's API, which has no section in the specification. */
export const spec = 'people'

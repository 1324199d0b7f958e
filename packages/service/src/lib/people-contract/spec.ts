/** Where the endpoints of this side are stated: the people's side has no section in the specification. */
export const spec = 'people'

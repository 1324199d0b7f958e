/** The path in front of every path of the people's API. */
export const peopleBase = '/people/v1'

/** The path of the stream, which is not in the table because its response does not end. */
export const peopleStream = `${peopleBase}/stream`

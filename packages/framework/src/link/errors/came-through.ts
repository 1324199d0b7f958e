/** Errors that came out of `next()`, with the files of the middleware that they came through. */
const through = new WeakMap<object, Set<string>>()

/**
 * What a middleware calls as `next()`. An error that comes out of it is not the middleware's, though its line is the first of the
 * bot's in the stack where the handler's own is in none: of a reply that was returned and refused, for one.
 */
export async function goOn(run: () => unknown, file: string): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (typeof error === 'object' && error !== null) {
      const files = through.get(error) ?? new Set()
      through.set(error, files.add(file))
    }
    throw error
  }
}

/** The files of the middleware that an error only came through. */
export const cameThrough = (error: object): ReadonlySet<string> => through.get(error) ?? none

const none: ReadonlySet<string> = new Set()

import { limitedText as readText } from '@botwright/service/people'
import { cut } from '@botwright/protocol/facts'

/** More than the local service ever sends: another server at its address may send anything, without end. */
export const MOST_BYTES = 8 * 1024 * 1024
const LONGEST_REASON = 300

/** The text of a response. Rejects, and ends the response, once it is longer than that. */
export const limitedText = (response: Response): Promise<string> => readText(response, MOST_BYTES)

/** The error of a request that the local service refused. */
export async function refusalOf(response: Response): Promise<Error> {
  const text = await limitedText(response).catch((error: unknown) => (error as Error).message)
  return new Error(`status ${response.status}: ${cut(text, LONGEST_REASON)}`)
}

import { connectPeople, peopleStream } from '../people.ts'

const keyStore = 'botwright-key'
/** The key of this run, if the service requires one. The printed URL carries it; the page stores it for other tabs and removes it from the URL. */
function readKey(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('key')
  if (given !== null) {
    localStorage.setItem(keyStore, given)
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return given ?? localStorage.getItem(keyStore) ?? undefined
}
const key = readKey()

let token: string | undefined
/** Sets the token that later calls send. */
export const useToken = (value: string | undefined): void => {
  token = value
}

/** The URL of the live feed, credentials included: an EventSource cannot set headers. */
export const streamAddress = (ofToken: string): string =>
  `${peopleStream}?${new URLSearchParams({ token: ofToken, ...(key !== undefined && { key }) })}`

/** The response of a method of `api`. */
export type Answer<Method extends (input: never) => Promise<unknown>> = Awaited<ReturnType<Method>>

/** The people's API, as the person who uses the page. Its methods reject with a `PeopleError`. */
export const api = connectPeople(() => ({ origin: '', token, key }))

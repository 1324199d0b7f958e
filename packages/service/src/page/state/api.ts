import { sendPeople } from '../../lib/people-api/client.ts'
import { createPeopleClient } from '../../people.ts'

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
export const serviceKey = readKey()

let token: string | undefined
/** Counts the sessions of this window. The same person may leave it and return, with the same token. */
let session = 0
/** Begins a session: sets the token that later calls send. */
export const useToken = (value: string | undefined): void => {
  if (token !== value) session++
  token = value
}

/** The response of a method of `api`. */
export type Answer<Method extends (input: never) => Promise<unknown>> = Awaited<ReturnType<Method>>

/** The person of a call has left the window before the response: it must not reach the next one. */
export class PersonLeft extends Error {}

/** The result of a person's work. Rejects with `PersonLeft` if they leave the window before. */
export function whilePersonStays<T>(work: Promise<T>): Promise<T> {
  const begun = session
  return work.finally(() => {
    if (session !== begun) throw new PersonLeft('The person of this window has changed.')
  })
}

/** The people's API, as the person who uses the page. Its methods reject with a `PeopleError`, or with `PersonLeft`. */
export const api = createPeopleClient((request) =>
  whilePersonStays(sendPeople(request, { origin: '', token, key: serviceKey })),
)

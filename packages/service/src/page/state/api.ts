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
/** Sets the token that later calls send. */
export const useToken = (value: string | undefined): void => {
  token = value
}

/** The response of a method of `api`. */
export type Answer<Method extends (input: never) => Promise<unknown>> = Awaited<ReturnType<Method>>

/** The person of a call has left the window before the response: it must not reach the next one. */
export class PersonLeft extends Error {}

/** The people's API, as the person who uses the page. Its methods reject with a `PeopleError`, or with `PersonLeft`. */
export const api = createPeopleClient((request) => {
  const asked = token
  return sendPeople(request, { origin: '', token, key: serviceKey }).finally(() => {
    if (token !== asked) throw new PersonLeft('The person of this window has changed.')
  })
})

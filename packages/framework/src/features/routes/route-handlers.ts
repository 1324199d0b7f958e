import { type Delivery, eventKey } from '@botwright/events/event'
import type { Handler } from '../../bot/compile-handler.ts'
import type { OwnHandling } from '../../bot/own-handling.ts'
import { failureOf, logOwn, runOwn } from '../tasks/run-own.ts'
import { referenceOf } from '../../bot/report-failure.ts'
import type { RunEnd } from '../../link/ports.ts'
import {
  type Accepted,
  type PlainResponse,
  type PlainWork,
  refused,
  removed,
  type RouteWork,
  toPlain,
} from './plain-request.ts'
import { readBody } from './read-body.ts'
import { responseOf } from './response-of.ts'
import { RouteContext } from './route-context.ts'
import type { RouteRequest, RouteRules } from './route.ts'
import { isVerified, withoutCredentials } from './verify-request.ts'

/** Handles the requests to a bot's routes in its thread: only there are their functions and schemas. */
export const createRoutes: OwnHandling = ({ handlers, services, host, root, ready }) => {
  const routes = new Map(handlers.filter(({ entry }) => entry.kind === 'route').map((one) => [one.entry.name, one]))
  const workOf = ({ event }: Delivery): PlainWork => {
    const work = event.data as RouteWork
    return { ...work, request: toPlain(work.request) }
  }
  const { read, check } = requestReader(services.env)

  async function run(delivery: Delivery, handler: Handler): Promise<RunEnd | undefined> {
    const work = workOf(delivery)
    // Its sender is no longer there, or has seen it fail.
    if (work.step === 'respond' && delivery.attempt > 1) return { result: failed() }
    const run = await ready(handler)
    const rules = handler.defined!.payload as RouteRules
    if (work.step === 'check') return check(work, rules)
    const found = await read(work, rules)
    if ('refusal' in found && work.step === 'respond') return { result: found.refusal }
    let response: PlainResponse | undefined
    const facts = { file: handler.entry.file, redelivered: delivery.attempt > 1 }
    const ctx = new RouteContext(handler.services ?? services, work, { ...facts, body: bodyOf(found) })
    const error = await runOwn(
      ctx,
      async () => {
        // The schema has changed since the request was stored.
        if ('refusal' in found) throw new Error(`its body is not valid: ${String(found.refusal.body)}`)
        const result = await run(ctx as never)
        if (work.step === 'respond') response = await responseOf(result)
      },
      ownRun(delivery, handler),
    )
    if (error && work.step === 'respond') return { result: failed(error) }
    return failureOf(error) ?? (response && { result: response })
  }

  const ownRun = (delivery: Delivery, { entry: { file } }: Handler) => ({
    ...{ delivery, host, root, layer: services.layer },
    referenceOf: (message: string) => referenceOf({ envelope: delivery.event, file }, message),
  })

  return {
    handlerOf: ({ event }) => routes.get((event.data as RouteWork).route)?.entry.file,
    async handle(delivery) {
      const { route, step } = delivery.event.data as RouteWork
      const handler = routes.get(route)
      // The supervisor does not know yet that new code no longer has it.
      if (!handler) return { result: step === 'run' ? removed : refused(404, 'there is no such route') }
      try {
        return await run(delivery, handler)
      } catch (thrown) {
        const { file } = handler.entry
        const error = logOwn(thrown, file, ownRun(delivery, handler), 'a request could not be checked: ')
        const { type } = delivery.event
        host.observe?.({ eventId: eventKey(delivery.event), type, file, result: 'error', error })
        return workOf(delivery).step === 'run' ? failureOf(error) : { result: failed(error) }
      }
    },
  }
}

/** Reads the requests of a bot with these variables. */
function requestReader(env: RouteRequest<unknown>['env']) {
  function requestOf<B>({ request: { query, headers, ...plain } }: PlainWork, body: B): RouteRequest<B> {
    return { ...plain, query: new URLSearchParams(query), headers: new Headers(headers), body, env }
  }

  /** Checks a request, and reads its body. */
  async function read(work: PlainWork, rules: RouteRules): Promise<{ body: unknown } | { refusal: PlainResponse }> {
    if (work.step === 'check' && !(await isVerified(rules.verify, requestOf(work, work.request.body))))
      return { refusal: refused(401, 'the signature or the token of this request is missing or wrong') }
    const read = await readBody(work.request, rules)
    return 'refusal' in read ? read : { body: read.value }
  }

  async function check(work: PlainWork, rules: RouteRules): Promise<RunEnd> {
    const found = await read(work, rules)
    if ('refusal' in found) return { result: found.refusal }
    const request = requestOf(work, found.body)
    // An empty text, such as that of an empty header, identifies nothing.
    const [id, key] = [rules.id?.(request) || undefined, rules.key?.(request) || undefined]
    const headers = withoutCredentials(work.request.headers, rules.verify)
    const accepted: Accepted = { headers, ...(id !== undefined && { id }), ...(key !== undefined && { key }) }
    return { result: accepted }
  }

  return { read, check }
}

const failed = (error?: { reference: string }): PlainResponse =>
  refused(500, 'the route failed', error && { reference: error.reference })

const bodyOf = (found: { body: unknown } | { refusal: PlainResponse }): unknown =>
  'body' in found ? found.body : undefined
